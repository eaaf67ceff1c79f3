import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { statusMeasures, statusPage } from '../../src/dashboard/status/status-page.ts';
import { fakeClock } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { runInProcess } from './run-in-process.ts';

const NOW = '2026-03-01T12:00:00Z';
const env = { PACEKEEPER_NOW: NOW };
const CUSTOMER = '4081725530';

it('an account with a gap is complete until the day before the gap, in every view', async () => {
  const folder = tempDir();
  const run = (...args: string[]) => runInProcess(args, { folder, env });
  await run('init', '--time-zone', 'Europe/Berlin');
  await run('extract', '--query', 'keyword_stats', '--customer', CUSTOMER);
  const state = new Database(join(folder, 'data', 'state.sqlite'));
  state.prepare("DELETE FROM account_day WHERE customer_id = ? AND date = '2026-02-20'").run(BigInt(CUSTOMER));
  state.close();

  const status = await run('status');
  expect(status.stdout).toMatch(
    /Complete until +Accounts +Never read +Missing .*\n +keyword_stats +2026-02-19 +1 +0 +1 /,
  );
  const json = JSON.parse((await run('status', '--format', 'json')).stdout);
  expect(json.coverage).toMatchObject([{ query: 'keyword_stats', settled_until: '2026-02-19', missing: 1 }]);
  const coverage = await run('coverage');
  expect(coverage.stdout).toMatch(/ +\d+ +0 +1 +2026-02-19\n/);
  const later = await run('coverage', '--from', '2026-02-25');
  expect(later.stdout).toMatch(/Complete until\n.* 2026-02-19\n/);

  const deps = { settings: await readSettings(folder, {}, {}), clock: fakeClock(NOW) };
  const pages = ['/', '/coverage'].map((path) => statusPage(deps, { path, query: '', role: 'viewer' }));
  for (const { html } of await Promise.all(pages))
    expect(html).toMatch(/Complete until[\s\S]*<td[^>]*>(?:<bdi>)?2026-02-19</);
  expect(await statusMeasures(deps)).toContainEqual(
    expect.objectContaining({
      name: 'pacekeeper_settled_until_timestamp_seconds',
      samples: [{ labels: { query: 'keyword_stats' }, value: Date.parse('2026-02-19') / 1000 }],
    }),
  );
  await run('publish');
  const page = await run('report', '--no-extract', '--dry-run', '--format', 'html');
  expect(page.stdout).toMatch(/Complete until[\s\S]*<td[^>]*>(?:<bdi>)?2026-02-19</);
});
