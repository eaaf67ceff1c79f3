import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import { gatherReport } from '../../../src/dashboard/report/gather-report.ts';
import { endRun, startRun } from '../../../src/storage/records/runs/run-table.ts';
import { lackedBy } from '../../../src/views/coverage.ts';
import type { ReportFacts } from '../../../src/views/report/report-facts.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { openedState } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOW = '2026-11-20T09:00:00Z';

const QUERIES = {
  'campaign_now.sql': `-- Campaigns with the budget each spends from.
SELECT campaign.id, campaign.name, campaign_budget.id, campaign_budget.amount_micros FROM campaign`,
  'ad_stats.sql': `-- Spend by day.
SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date DURING LAST_30_DAYS`,
};

const RULE = `description: Trim.
from: ad_stats
for: campaign
over: 7 days
when: clicks >= 1
currency: EUR
change: decrease budget by 10%
limits: { floor: 60, step: 10%, cooldown: 3 days }
mode: apply
`;

function folderWith(files: Readonly<Record<string, string>>, folder = tempDir()): string {
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(QUERIES)) writeFileSync(join(folder, 'queries', name), text);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

async function gatherIn(folder: string): Promise<ReportFacts> {
  const settings = await readSettings(folder, {}, {});
  const state = await openedState(join(folder, 'data', 'state.sqlite'));
  try {
    return await gatherReport({ settings, clock: fakeClock(NOW), state });
  } finally {
    await state.close();
  }
}

describe('the report of a run', () => {
  let folder: string;
  let page: string;
  let result: Awaited<ReturnType<typeof runInProcess>>;
  let facts: ReportFacts;

  beforeAll(async () => {
    folder = folderWith({ 'rules/trim.yaml': RULE }, mkdtempSync(join(tmpdir(), 'pacekeeper-test-')));
    result = await runInProcess(['report', '--format', 'html'], { folder, env: { PACEKEEPER_NOW: NOW } });
    page = readFileSync(join(folder, 'data', 'report.html'), 'utf8');
    facts = await gatherIn(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is printed to a pipe, and stored beside the warehouse, readable by all', () => {
    expect(result.code).toBe(0);
    expect(result.stdout).toBe(page);
    expect(page).toMatch(/^<!DOCTYPE html>/);
    expect(statSync(join(folder, 'data', 'report.html')).mode & 0o777).toBe(0o644);
  });

  it('sums the published file exactly', () => {
    const file = new Database(join(folder, 'data', 'warehouse.sqlite'), { readonly: true });
    const sums = file
      .prepare('SELECT customer_id, sum(cost_micros) AS cost, sum(clicks) AS clicks FROM ad_stats_by_day GROUP BY 1')
      .safeIntegers()
      .all() as { customer_id: bigint; cost: bigint; clicks: bigint }[];
    file.close();
    expect(sums.length).toBeGreaterThan(2);
    for (const { customer_id: id, cost, clicks } of sums) {
      const days = facts.accounts.find(({ customerId }) => customerId === String(id))?.days ?? [];
      expect(days.reduce((sum, day) => sum + (day.costMicros ?? 0n), 0n)).toBe(cost);
      expect(days.reduce((sum, day) => sum + (day.clicks ?? 0n), 0n)).toBe(clicks);
    }
  });

  it('takes campaign budgets from the listing query, plus later changes', () => {
    const changed = facts.decisions.filter(({ kind }) => kind === 'change');
    expect(changed.length).toBeGreaterThan(0);
    const campaigns = facts.accounts.flatMap(({ campaigns: all }) => all ?? []);
    for (const { campaignName, to } of changed) {
      expect(campaigns.find(({ name }) => name === campaignName)?.budget?.dailyMicros).toBe(to);
    }
  });

  it('shows when its numbers were published, in UTC', () => {
    expect(page).toMatch(/<li>Numbers as of <time datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ">/);
  });

  it('shows the refusals of the run with their codes', () => {
    expect(page).toMatch(/<code title="[^"]+">AT_FLOOR<\/code>/);
  });

  it('shows the description of each rule', () => {
    expect(facts.ruleTexts).toEqual(new Map([['trim', 'Trim.']]));
    expect(page).toContain('trim<br><span class="note">Trim.</span>');
  });

  it('counts complete days, and masks every recipient', () => {
    expect(facts.coverage.every((one) => lackedBy(one) === 0)).toBe(true);
    expect(facts.alerts.length).toBeGreaterThan(0);
    expect(page).not.toMatch(/\+\d{8,}/);
  });

  it('is the same without run files, with damaged ones, and with those of another folder', async () => {
    const runs = join(folder, 'data', 'runs');
    writeFileSync(join(runs, '1.json'), '{"run":{"id":1');
    writeFileSync(
      join(runs, '0.json'),
      '{"run":{"id":0,"command":"report"},"notes":["of another folder"],"decisions":[]}',
    );
    expect(await gatherIn(folder)).toEqual({ ...facts, writtenAt: expect.any(String) });
    rmSync(runs, { recursive: true });
    expect(await gatherIn(folder)).toEqual({ ...facts, writtenAt: expect.any(String) });
  });

  it('counts a refusal once, however many runs of the day repeat it', async () => {
    const refused = facts.decisions.filter(({ kind }) => kind === 'refusal').length;
    const again = await runInProcess(['report', '--no-extract'], { folder, env: { PACEKEEPER_NOW: NOW } });
    expect(again.code).toBe(0);
    const now = await gatherIn(folder);
    const changed = facts.decisions.filter(({ kind }) => kind === 'change').length;
    // The budgets that were changed before had their change of the day.
    expect(now.decisions.filter(({ kind }) => kind === 'refusal')).toHaveLength(refused + changed);
    expect(now.lastDecisions.every(({ kind }) => kind === 'refusal')).toBe(true);
  });

  it('is replaced by publish, and a terminal shows only its path', async () => {
    const published = await runInProcess(['publish'], { folder, env: { PACEKEEPER_NOW: NOW } });
    expect(published).toMatchObject({ code: 0, stdout: expect.stringContaining('data/report.html: the report') });
    const shown = await runInProcess(['report', '--no-extract', '--dry-run', '--format', 'html'], {
      folder,
      columns: 80,
      env: { PACEKEEPER_NOW: NOW },
    });
    expect(shown.stdout).toBe(`${join(folder, 'data', 'report.html')}\n`);
  });
});

describe('a report with an unwritable page', () => {
  it('fails in result, run file, exit code and JSON log', async () => {
    const folder = folderWith({});
    mkdirSync(join(folder, 'data', 'report.html'), { recursive: true });
    const env = { PACEKEEPER_NOW: NOW, PACEKEEPER_LOG: 'json' };
    const args = ['report', '--no-extract', '--dry-run', '--format', 'json'];
    const { code, stdout, stderr } = await runInProcess(args, { folder, env });
    const { run, failures } = JSON.parse(stdout);
    expect([code, run.exit_code, failures]).toEqual([1, 1, [expect.stringContaining('report.html could not be')]]);
    expect(readFileSync(join(folder, 'data', 'runs', '1.json'), 'utf8')).toBe(stdout);
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toMatchObject({ level: 'warn', run_id: '1', msg: failures[0] });
  });
});

describe('a report of an empty folder', () => {
  it('is empty and leaves no file behind', async () => {
    const folder = folderWith({});
    const facts = await gatherIn(folder);
    expect(facts).toMatchObject({ asOf: undefined, table: undefined, accounts: [], decisions: [], lastRun: undefined });
    expect(existsSync(join(folder, 'data', 'warehouse.sqlite'))).toBe(false);
  });
});

it('takes the newest report as last run, before the first report any run, with each failure', async () => {
  const folder = folderWith({});
  const state = await openedState(join(folder, 'data', 'state.sqlite'));
  const nowMs = Date.parse(NOW);
  const end = { accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, operations: 0, nowMs };
  const ended = async (command: string, failures: readonly string[]) => {
    const about = { target: 'sandbox', targetKind: 'sandbox', mode: 'apply', dryRun: false, nowMs } as const;
    const run = await startRun(state.db, { ...about, command });
    await endRun(state.db, run, { ...end, state: failures.length === 0 ? 'done' : 'failed', failures });
  };
  const lastRun = async () => (await gatherIn(folder)).lastRun;
  expect(await lastRun()).toBeUndefined();
  await ended('extract', []);
  expect(await lastRun()).toMatchObject({ id: 1n, command: 'extract', failures: [] });
  await ended('report', ['Nobody answered +15550100001.', 'Another.']);
  await ended('extract', []);
  const told = await lastRun();
  expect(told).toMatchObject({ id: 2n, command: 'report', failures: ['Nobody answered +15…01.', 'Another.'] });
  // A text that was not redacted goes no further.
  expect(told).not.toHaveProperty('error');
  await state.close();
});
