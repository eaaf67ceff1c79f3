import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderStatus } from '../../src/report/render-status.ts';
import type { StatusResult } from '../../src/report/status-result.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type ProgramResult, runInProcess } from './run-in-process.ts';

const env = { PACEKEEPER_NOW: '2026-03-01T12:00:00Z' };

/** Without the folder, whose name is another one each time. */
const stable = ({ stdout }: ProgramResult, folder: string) =>
  stdout.replace(/data in [\s\S]*?data\n/, 'data in FOLDER\n').replaceAll(folder, 'FOLDER');

describe('status', () => {
  it('says before the first run what makes it, and afterwards where everything stands', async () => {
    const folder = tempDir();
    await runInProcess(['init', '--time-zone', 'Europe/Berlin'], { folder, env });
    const before = await runInProcess(['status'], { folder, env, columns: 80 });
    expect(existsSync(join(folder, 'data'))).toBe(false);
    expect(stable(before, folder)).toMatchInlineSnapshot(`
      "Target
        sandbox (seed 1), mode apply
        data in FOLDER
      Runs
        none yet: pacekeeper report makes the first one
      Schedule
        morning-report  report  next 2026-03-02 04:30 UTC
        nobody keeps it: pacekeeper schedule does
      "
    `);
    await runInProcess(['extract', '--customer', '4081725530'], { folder, env });
    const after = await runInProcess(['status'], { folder, env, columns: 80 });
    expect(after).toMatchObject({ code: 0, stderr: '' });
    expect(stable(after, folder)).toMatchInlineSnapshot(`
      "Target
        sandbox (seed 1), mode apply
        data in FOLDER
      Runs
        2026-03-01 12:00 UTC  extract  done  19,132 rows, 1 account
      Coverage
        keyword_stats  complete until 2026-02-28  no day missing, 1 account
      Budgets
        0 changes under way, 0 awaiting approval
        not frozen
      Alerts
        none waits
      Schedule
        morning-report  report  next 2026-03-02 04:30 UTC
        nobody keeps it: pacekeeper schedule does
      "
    `);
    const { stdout } = await runInProcess(['status', '--format', 'json'], { folder, env });
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ target: 'sandbox (seed 1)', mode: 'apply', data_folder: join(folder, 'data') },
      runs: [{ command: 'extract', state: 'done', accounts: 1 }],
      coverage: [{ query: 'keyword_stats', settled_until: '2026-02-28', missing: 0 }],
      budgets: { changes_under_way: 0, proposals: [], frozen: null },
      alerts: { waiting: 0, may_be_out: 0 },
      schedule: { holder: null, jobs: [{ name: 'morning-report', next: '2026-03-02T04:30:00Z', last: null }] },
    });
  });

  it('names a table whose query file is gone, and what drops it', async () => {
    const folder = tempDir();
    await runInProcess(['init'], { folder, env });
    writeFileSync(join(folder, 'queries', 'names.sql'), 'SELECT campaign.id, campaign.name FROM campaign');
    await runInProcess(['extract', '--query', 'names', '--customer', '4081725530'], { folder, env });
    expect((await runInProcess(['status'], { folder, env })).stdout).not.toContain('Tables');
    rmSync(join(folder, 'queries', 'names.sql'));
    const { stdout } = await runInProcess(['status'], { folder, env, columns: 80 });
    expect(stdout).toContain('Tables\n  names has no query file: pacekeeper warehouse rebuild names drops it\n');
    const json = await runInProcess(['status', '--format', 'json'], { folder, env });
    expect(JSON.parse(json.stdout).orphaned_tables).toEqual(['names']);
    expect((await runInProcess(['warehouse', 'rebuild', 'names'], { folder, env })).code).toBe(0);
    expect((await runInProcess(['status'], { folder, env })).stdout).not.toContain('Tables');
  });

  it('ends with 2 where the settings cannot be used', async () => {
    const broken = tempDir();
    writeFileSync(join(broken, 'pacekeeper.yaml'), 'schedule: [{ nam: x }]');
    const { code, stderr } = await runInProcess(['status'], { folder: broken });
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean name?');
  });
});

describe('status fits 80 columns', () => {
  const long = 'x'.repeat(90);
  const found: StatusResult = {
    ...{ target: `live (https://${long}.example.com)`, mode: 'apply', dataFolder: `/data/${long}` },
    schedule: {
      holder: { pid: 4194304, host: long, since: '2026-03-01T12:00:00Z', state: 'late' },
      jobs: [
        {
          name: 'morning-report',
          job: 'report',
          next: undefined,
          last: { state: 'missed', dueAt: '2026-03-01T05:30:00Z', reason: long },
        },
      ],
    },
    frozen: { why: `frozen by anna since 2026-03-01T05:30:00Z: ${long}`, isLiftable: true },
    work: {
      runs: [
        {
          ...{
            id: 2n,
            command: 'report',
            target: 'live',
            targetKind: 'live',
            mode: 'apply',
            operations: 0n,
            failures: 1n,
            dryRun: true,
            state: 'failed',
            startedAt: '2026-03-01T05:30:00Z',
            endedAt: undefined,
          },
          ...{
            accounts: 1n,
            rowsRead: 1n,
            budgetChanges: 0n,
            messagesSent: 0n,
            error: `Account 1: \u001b[31m${long}\nmore`,
          },
        },
      ],
      coverage: [
        {
          query: 'q'.repeat(40),
          accounts: 3,
          neverRead: 1,
          completeUntil: undefined,
          missing: 12_345,
          provisional: 7,
          failed: 0,
        },
      ],
      orphanedTables: ['q'.repeat(60)],
      ...{
        openChanges: 1,
        proposals: Array.from({ length: 40 }, (_, index) => `A${index}BC`),
      },
      alerts: { waiting: 2, mayBeOut: 1 },
    },
  };

  it('whatever is in it, and shows no control character', () => {
    const text = renderStatus(found, { width: 80, bold: (heading) => heading });
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toContain('\u001b');
    expect(text.replace(/\s+/g, ' ')).toContain('A5BC and 34 more');
    expect(text.replace(/\s+/g, ' ')).toContain('start pacekeeper schedule again');
  });

  it('calls a run that was asked to stop by that, and not failed', () => {
    const [run] = found.work?.runs ?? [];
    const runs = run
      ? [{ ...run, state: 'stopped' as const, error: '5 slices were left, because the run was asked to stop.' }]
      : [];
    const work = found.work && { ...found.work, runs };
    const text = renderStatus({ ...found, work }, { width: 80, bold: (heading) => heading });
    expect(text).toMatch(/report --dry-run +stopped +5 slices were left/);
    expect(text).not.toContain('failed');
  });
});
