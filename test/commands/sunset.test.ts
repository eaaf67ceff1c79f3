import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { runInProcess } from './run-in-process.ts';

/** Answers of the program in a folder whose settings name the version. */
function folderWith(version: string) {
  const folder = tempDir();
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'queries', 'campaigns.sql'), 'SELECT campaign.id FROM campaign');
  writeFileSync(join(folder, 'pacekeeper.yaml'), `ads: { version: ${version} }\nalerts: { digest_at: 08:00 }\n`);
  return async (now: string, ...args: string[]) => {
    const { stdout, stderr } = await runInProcess(args, { folder, env: { PACEKEEPER_NOW: now }, columns: 160 });
    return `${stdout}${stderr}`;
  };
}

const DAY_61 = '2026-08-07T12:00:00Z';
const DAY_60 = '2026-08-08T12:00:00Z';
const EVE = '2026-10-06T23:00:00Z';
const AFTER = '2026-10-07T00:00:00Z';
const ENDS = 'v22 of the advertising interface ends on 2026-10-07, in 60 days';

describe('a version that the service ends on a known day', () => {
  it('is a warning of doctor from 60 days before', async () => {
    const run = folderWith('v22');
    const version = async (now: string) => {
      const checks = JSON.parse(await run(now, 'doctor', '--format', 'json'));
      return checks.find(({ check }: { check: string }) => check === 'version');
    };
    expect(await version(DAY_61)).toMatchObject({ state: 'ok' });
    expect(await version(DAY_60)).toMatchObject({
      state: 'warning',
      found: ENDS,
      next_step: 'Set ads.version to a newer version (docs/upgrade.md).',
    });
    expect(await version(EVE)).toMatchObject({ state: 'warning', found: expect.stringContaining('in 1 day') });
    expect(await version(AFTER)).toMatchObject({ found: 'v22 of the advertising interface ended on 2026-10-07' });
  });

  it('is a line of status from 60 days before, and its day is in the JSON', async () => {
    const run = folderWith('v22');
    expect(await run(DAY_61, 'status')).not.toContain('v22');
    expect(await run(DAY_60, 'status')).toContain(`Version: ${ENDS}. Set ads.version`);
    expect(await run(AFTER, 'status')).toContain('Version: v22 of the advertising interface ended on 2026-10-07.');
    expect(JSON.parse(await run(DAY_61, 'status', '--format', 'json'))).toMatchObject({
      ads_version: { version: 'v22', ends_on: '2026-10-07' },
    });
  });

  it('has its day in the list of catalogues', async () => {
    const run = folderWith('v22');
    await run(DAY_61, 'catalogue', 'refresh');
    const { catalogues } = JSON.parse(await run(DAY_61, 'catalogue', 'status', '--format', 'json'));
    expect(catalogues).toMatchObject([
      { version: 'v22', origin: 'refreshed', ends_on: '2026-10-07' },
      { version: 'v25', origin: 'shipped', ends_on: null },
    ]);
  });

  it('is a line of the daily digest', async () => {
    const run = folderWith('v22');
    await run(DAY_61, 'report', '--no-extract');
    await run(DAY_60, 'report', '--no-extract');
    expect(await run(DAY_60, 'sandbox', 'inbox', '--format', 'ndjson')).toContain(`${ENDS}: pacekeeper doctor`);
  });
});

it('nothing is said about a version whose last day is unknown', async () => {
  const run = folderWith('v25');
  expect(await run(AFTER, 'status')).not.toContain('v25');
  expect(await run(AFTER, 'doctor')).not.toContain('Version');
  expect(JSON.parse(await run(AFTER, 'status', '--format', 'json'))).toMatchObject({
    ads_version: { version: 'v25', ends_on: null },
  });
});
