import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { statusPage } from '../../src/dashboard/status/status-page.ts';
import { fakeClock } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { runInProcess } from './run-in-process.ts';

const READ = '2026-03-01T12:00:00Z';
const LATER = '2026-03-02T12:00:00Z';
const CUSTOMER = '4081725530';

/** A folder that was read on the first day, and published again on the second. */
async function folderReadOnce() {
  const folder = tempDir();
  const run = (now: string, ...args: string[]) => runInProcess(args, { folder, env: { PACEKEEPER_NOW: now } });
  await run(READ, 'init', '--time-zone', 'Europe/Berlin');
  await run(READ, 'extract', '--customer', CUSTOMER);
  const failed = (sql: string) => {
    const state = new Database(join(folder, 'data', 'state.sqlite'));
    state.exec(sql);
    state.close();
  };
  const pages = async () => {
    await run(LATER, 'publish');
    const report = await run(LATER, 'report', '--no-extract', '--dry-run', '--format', 'html');
    const deps = { settings: await readSettings(folder, {}, {}), clock: fakeClock(LATER) };
    const overview = await statusPage(deps, { path: '/', query: '', role: 'viewer' });
    const account = await statusPage(deps, { path: `/accounts/${CUSTOMER}`, query: '', role: 'viewer' });
    const coverage = await statusPage(deps, { path: '/coverage', query: '', role: 'viewer' });
    const query = `query=keyword_stats&customer=${CUSTOMER}`;
    const calendar = await statusPage(deps, { path: '/coverage', query, role: 'viewer' });
    const { stdout: status } = await run(LATER, 'status');
    return {
      report: report.stdout,
      overview: overview.html,
      account: account.html,
      coverage: coverage.html + calendar.html,
      status,
    };
  };
  return { failed, pages };
}

const RUN = `INSERT INTO run (id, command, target, target_kind, mode, dry_run, state, started_at, ended_at)
  VALUES (2, 'extract', 'sandbox (seed 1)', 'sandbox', 'apply', 0, 'failed', '${LATER}', '${LATER}');`;

it('numbers show the time of their newest reading, not of the newest run or publication', async () => {
  const { pages } = await folderReadOnce();
  const { report, overview, account, coverage, status } = await pages();
  for (const page of [report, overview]) {
    expect(page).toMatch(/<li>Numbers as of <time datetime="2026-03-01T12:00:\d\dZ">2026-03-01 12:00 UTC</);
  }
  for (const page of [report, account]) expect(page).toContain('Numbers as of 2026-03-01 12:00 UTC.');
  expect(coverage).toMatch(/Last read: <time datetime="2026-03-01T12:00:\d\dZ">2026-03-01 12:00 UTC</);
  for (const words of [report, overview, coverage, status]) expect(words).not.toMatch(/last read failed/);
});

it.each<[what: string, tables: number, sql: string]>([
  [
    'failed slices',
    1,
    `INSERT INTO slice (run_id, query, query_text, customer_id, expected, state, error, started_at, ended_at)
      SELECT 2, query, query_text, customer_id, 1, 'failed', 'The service said no.', '${LATER}', '${LATER}' FROM slice WHERE query IN ('campaign_spend', 'keyword_stats', 'campaign_budget');`,
  ],
  [
    'an account that failed before slices were planned',
    2,
    `INSERT INTO run_account (run_id, customer_id, state, reason) VALUES (2, ${CUSTOMER}, 'failed', 'The service said no.');`,
  ],
])('a figure that is old because of a failed read has a note beside it: %s', async (_, tables, sql) => {
  const { failed, pages } = await folderReadOnce();
  failed(RUN + sql);
  const { report, overview, account, coverage, status } = await pages();
  const old = 'as of 2026-03-01 12:00 UTC, <span class="bad">last read failed</span>: The service said no.';
  const notes = [report, overview, account].map((page) => page.split(old).length - 1);
  // With the figures of the month, with the account itself, and with its budgets. The overview has only the first.
  expect(notes).toEqual([2 + tables, 1, 1 + tables]);
  expect(report).toMatch(/The table <code>campaign_budget<\/code> is as of 2026-03-01/);
  expect(coverage).toContain('last read failed: The service said no.');
  expect(status).toMatch(/Failed\n(?: +\w+ .*\n)* +keyword_stats .* 1$/m);
});

it('a successful read removes the note', async () => {
  const { failed, pages } = await folderReadOnce();
  failed(`${RUN} INSERT INTO run_account (run_id, customer_id, state, reason)
      VALUES (2, ${CUSTOMER}, 'failed', 'The service said no.');
    INSERT INTO run (id, command, target, target_kind, mode, dry_run, state, started_at)
      VALUES (3, 'extract', 'sandbox (seed 1)', 'sandbox', 'apply', 0, 'done', '${LATER}');
    UPDATE slice SET run_id = 3;`);
  const { report, status } = await pages();
  for (const words of [report, status]) expect(words).not.toMatch(/last read/);
});
