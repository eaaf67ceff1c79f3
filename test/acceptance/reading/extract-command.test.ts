import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, it, onTestFinished } from 'vitest';
import { daysBetween } from '../../../src/domain/civil-date.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../../src/sandbox/read-request.ts';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { folderStore } from '../../support/folder-store.ts';
import { runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES, TRIMMED } from '../../support/trim-rule.ts';
import { liveEnvironment, NOON, writeFolder } from '../../support/world.ts';

const { customerId: EUR, campaignName } = TRIMMED;
const STATS = TRIM_QUERIES['stats.sql'];
const BUDGETS = 'SELECT campaign_budget.id, campaign_budget.amount_micros FROM campaign_budget';
const TOP = `${STATS} ORDER BY metrics.clicks DESC LIMIT 5`;
const NO_RETRY = 'ads: { retry: { attempts: 1 } }\n';

/** A folder with query files, and a service that it reads from; one account unless arguments say otherwise. */
async function scene(queries: Readonly<Record<string, string>> = { 'stats.sql': STATS }, config = NO_RETRY) {
  const folder = tempDir();
  let fault: ((request: SandboxRequest) => Fault | undefined) | undefined;
  const sandbox = await startSandbox({
    stateFile: ':memory:',
    clock: fakeClock(NOON),
    seed: 1,
    strict: false,
    fault: (request) => fault?.(request),
  });
  onTestFinished(() => sandbox.close());
  writeFolder(folder, 'queries', queries);
  writeFolder(folder, 'rules', {});
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  const store = await folderStore(join(folder, 'data'));
  const env = { ...liveEnvironment(sandbox), ...store.env, PACEKEEPER_NOW: NOON };
  const spoil = (next: typeof fault) => {
    fault = next;
  };
  const run = (args: readonly string[], columns = 100) => runInProcess(['extract', ...args], { folder, env, columns });
  let seen = 0;
  /** The statistics that were asked for since the last look. */
  const sent = (): string[] => {
    const fresh = sandbox.requests.slice(seen);
    seen = sandbox.requests.length;
    return fresh.flatMap(({ query }) => (query?.includes('keyword_view') ? query : []));
  };
  const days = () => sent().map((query) => /segments\.date (BETWEEN '\S+' AND '\S+'|DURING \w+)/.exec(query)?.[1]);
  return { sandbox, folder, env, spoil, run, store, rows: store.rows, sent, days };
}

const one = ['--customer', EUR];

describe('pacekeeper extract', () => {
  it('reads the window of each query, changes no budget and sends no message', async () => {
    const { run, rows, days, sandbox } = await scene({ 'stats.sql': STATS, 'budgets.sql': BUDGETS });
    const { code, stdout } = await run(one, 80);
    expect(code).toBe(0);
    expect(days()).toEqual(['DURING LAST_7_DAYS']);
    expect(rows('SELECT command, state, budget_changes FROM run')).toEqual([
      { command: 'extract', state: 'done', budget_changes: 0 },
    ]);
    expect(sandbox.requests.filter(({ kind }) => kind === 'mutate' || kind === 'message')).toEqual([]);
    expect(stdout.replaceAll(sandbox.url, 'URL')).toMatchInlineSnapshot(`
      "pacekeeper extract · run 1 · 2026-11-20 12:00 UTC · live
        (URL)
      Done: 91 rows read.

      Read
        Query    Account                   Days                      Rows
        budgets  Alpenkontor Outdoor GmbH  now                         10
        stats    Alpenkontor Outdoor GmbH  2026-11-13 to 2026-11-19    81

      Totals of stats
        Account and campaign                   Clicks        Cost
        Alpenkontor Outdoor GmbH (4081725530)      82  274.97 EUR
          Generisch - Wanderschuhe                 82  274.97 EUR

      Used 4 operations of the advertising interface's daily quota.
      "
    `);
  });

  it('backfills a year in slices of at most 31 days, keeps other conditions and requests no future day', async () => {
    const { run, sent, rows } = await scene();
    const { code, stdout } = await run([...one, '--from', '2025-12-01', '--to', '2026-12-31'], 140);
    expect(code).toBe(0);
    const texts = sent();
    const ranges = texts.map((text) => /BETWEEN '(\S+)' AND '(\S+)'/.exec(text)?.slice(1) ?? []);
    expect(ranges[0]?.[0]).toBe('2025-12-01');
    expect(ranges.at(-1)?.[1]).toBe('2026-11-20');
    for (const [from, to] of ranges) expect(daysBetween(from as never, to as never)).toBeLessThan(31);
    for (const [index, [from]] of ranges.entries()) {
      if (index > 0) expect(daysBetween(ranges[index - 1]?.[1] as never, from as never)).toBe(1);
    }
    expect(texts[0]).toBe(
      "SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date FROM keyword_view WHERE segments.date BETWEEN '2025-12-01' AND '2025-12-31' " +
        `AND campaign.name = '${campaignName}'`,
    );
    expect(stdout).toContain("Days that have not begun in an account's time zone were not read.");
    expect(stdout).toMatch(/stats {2}Alpenkontor Outdoor GmbH {2}2025-12-01 to 2026-11-20 +[\d,]+\n/);
    expect(rows('SELECT count(*) AS days FROM account_day')).toEqual([{ days: 355 }]);
  });

  it('fails if the service lacks the resource of a named query, and lists what it has', async () => {
    const geo =
      'SELECT campaign.id, metrics.clicks, segments.date FROM location_view WHERE segments.date DURING LAST_7_DAYS';
    const { run } = await scene({ 'geo.sql': geo, 'stats.sql': STATS });
    const named = await run([...one, '--query', 'geo'], 300);
    expect(named.code).toBe(1);
    expect(named.stdout).toContain(
      'geo was not read: the service does not offer its resource. Answer of the service: Unknown resource "location_view". The sandbox has keyword_view, campaign, ad_group,',
    );
    const all = await run(one, 300);
    expect(all.code).toBe(0);
    expect(all.stdout).toContain(
      'The service does not offer the resource of geo. Its table is unchanged. Answer of the service: Unknown resource "location_view".',
    );
  });

  it('says that future days cannot be read', async () => {
    const { run, days } = await scene();
    const { code, stdout } = await run([...one, '--from', '2027-01-01', '--to', '2027-01-31']);
    expect({ code, days: days() }).toEqual({ code: 0, days: [] });
    expect(stdout).toContain('Nothing to read: no day from 2027-01-01 to 2027-01-31 has begun in any account.');
  });

  it.each<[sentence: string, queries: Readonly<Record<string, string>>, args: readonly string[], message: string]>([
    [
      'for a named query with a LIMIT',
      { 'stats.sql': STATS, 'top.sql': TOP },
      ['--query', 'top'],
      'top cannot be read for 2026-01-01 to 2026-01-31: it has a LIMIT',
    ],
    [
      'if the only query has a LIMIT',
      { 'top.sql': TOP },
      [],
      'top cannot be read for 2026-01-01 to 2026-01-31: it has a LIMIT',
    ],
    [
      'for a query without a date',
      { 'budgets.sql': BUDGETS },
      [],
      'budgets cannot be read for 2026-01-01 to 2026-01-31: it does not select segments.date',
    ],
  ])('refuses a range of days %s', async (_words, queries, args, message) => {
    const { run, sandbox } = await scene(queries);
    const { code, stdout, stderr } = await run([...args, '--from', '2026-01-01', '--to', '2026-01-31']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain('next step: ');
    expect(sandbox.requests).toEqual([]);
  });

  it('refuses days older than the service keeps, before any request', async () => {
    const { run, sandbox } = await scene();
    const refused = await run([...one, '--from', '1970-01-01', '--to', '2026-11-20']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toBe(
      'error: Dates too old: found 1970-01-01 to 2026-11-20 (20,778 days, 19,650 of them too old), expected 2023-10-20 or later. The service keeps 37 months.\n' +
        'next step: Give --from 2023-10-20 or a later day.\n',
    );
    expect((await run([...one, '--from', '2023-10-12', '--to', '2023-10-13'])).stderr).toContain('2 of them too old');
    expect(sandbox.requests).toEqual([]);
    expect((await run([...one, '--from', '2023-10-13', '--to', '2023-10-14'])).code).toBe(0);
  });

  it('skips such queries with a note if others can be read', async () => {
    const { run, rows } = await scene({ 'stats.sql': STATS, 'top.sql': TOP, 'budgets.sql': BUDGETS });
    const { code, stdout } = await run([...one, '--from', '2026-11-01', '--to', '2026-11-02'], 140);
    expect(code).toBe(0);
    expect(stdout).toContain('top was left out: it has a LIMIT, so days may be incomplete.');
    expect(stdout).toContain('budgets was left out: it does not select segments.date.');
    expect(rows('SELECT DISTINCT query FROM slice')).toEqual([{ query: 'stats' }]);
  });

  it.each([
    ['--from alone', ['--from', '2026-01-01'], 'Found --from alone, expected both --from and --to.'],
    ['--to alone', ['--to', '2026-01-01'], 'Found --to alone, expected both --from and --to.'],
    [
      'reversed ends',
      ['--from', '2026-01-02', '--to', '2026-01-01'],
      'Invalid range: --from 2026-01-02 is after --to 2026-01-01.',
    ],
    ['an invalid date', ['--from', '2026-02-29', '--to', '2026-03-01'], 'Expected a date such as 2026-03-31.'],
    ['a date in another format', ['--from', '01.02.2026', '--to', '2026-03-01'], 'Expected a date such as 2026-03-31.'],
    ['an unknown query', ['--query', 'stat'], 'Unknown query: found stat, expected one of stats.'],
    ['an invalid account', ['--customer', 'x'], 'Invalid customer id "x": expected digits such as'],
    ['an unknown parameter', ['--param', 'a=1'], 'No query has the parameter :a.'],
  ])('refuses %s', async (_words, args, message) => {
    const { run } = await scene();
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('reads only the given query and account, and binds parameters', async () => {
    const withName = STATS.replace(`'${campaignName}'`, ':campaign');
    const { run, sent, sandbox } = await scene({ 'stats.sql': withName, 'other.sql': STATS });
    const { code } = await run([...one, '--query', 'stats', '--param', `campaign=O'Neill`]);
    expect(code).toBe(0);
    expect(sent()).toEqual([expect.stringMatching(/campaign\.name = (".*O'Neill"|'O\\'Neill')/)]);
    expect(new Set(sandbox.requests.flatMap(({ customerId }) => customerId ?? []))).toEqual(new Set([EUR]));
  });

  it('names the command and each slice in JSON', async () => {
    const { run, spoil } = await scene();
    let streams = 0;
    spoil(({ query }) => {
      streams += query?.includes('keyword_view') ? 1 : 0;
      return streams === 2 && query?.includes('keyword_view') ? { kind: 'status', status: 403 } : undefined;
    });
    const { code, stdout } = await run([...one, '--from', '2026-09-01', '--to', '2026-11-19', '--format', 'json']);
    expect(code).toBe(1);
    const told = JSON.parse(stdout);
    expect(told.run).toMatchObject({ command: 'extract', exit_code: 1 });
    expect(told.slices).toMatchObject([
      { query: 'stats', customer_id: EUR, days: { from: '2026-09-01', to: '2026-10-01' }, failure: null, left: null },
      { days: { from: '2026-10-02', to: '2026-11-01' }, rows: 0, failure: expect.stringContaining('403') },
      { days: { from: '2026-11-02', to: '2026-11-19' }, left: 'the account was skipped for the rest of this run' },
    ]);
    expect(told.failures).toHaveLength(2);
  });

  it.each([80, 140])('stays within %d columns, even after a failure', async (columns) => {
    const { run, spoil } = await scene();
    spoil(({ query, customerId }) =>
      query?.includes('keyword_view') && customerId !== EUR ? { kind: 'html', status: 500 } : undefined,
    );
    const { code, stdout } = await run([], columns);
    expect(code).toBe(1);
    expect(stdout.split('\n').filter((line) => stringWidth(line) > columns)).toEqual([]);
    expect(stdout).toMatch(/^Done with 3 failures: \d+ rows read\.$/m);
  });

  it('does not run while another process uses the same folder', async () => {
    const { run, store } = await scene();
    const release = await store.hold('pacekeeper report');
    const { code, stdout, stderr } = await run(one);
    await release();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/error: \S+ is in use by pacekeeper report, process \d+ on /);
  });
});

describe('pacekeeper extract --resume', () => {
  const QUARTER = [...one, '--from', '2026-09-01', '--to', '2026-11-19'];

  it('reads exactly the unfinished slices after a SIGKILL in the middle of a stream', async () => {
    const { folder, env, spoil, rows, days, run } = await scene();
    let streams = 0;
    let child: ChildProcess | undefined;
    spoil(({ query }) => {
      if (!query?.includes('keyword_view')) return undefined;
      streams += 1;
      if (streams < 2) return undefined;
      child?.kill('SIGKILL');
      return { kind: 'cut', afterBytes: 200 };
    });
    const onStart = (started: ChildProcess) => {
      child = started;
    };
    expect((await runCli(['extract', ...QUARTER], { cwd: folder, env, onStart })).code).toBeNull();
    spoil(undefined);
    expect(rows('SELECT state FROM slice ORDER BY id')).toEqual([
      { state: 'done' },
      { state: 'planned' },
      { state: 'planned' },
    ]);
    days();

    const resumed = await run(['--resume']);
    expect({ code: resumed.code, days: days() }).toEqual({
      code: 0,
      days: ["BETWEEN '2026-10-02' AND '2026-11-01'", "BETWEEN '2026-11-02' AND '2026-11-19'"],
    });
    const again = await run(['--resume']);
    expect({ code: again.code, days: days() }).toEqual({ code: 0, days: [] });
    expect(again.stdout).toContain('Nothing to resume: all extractions are finished.');
    expect(rows('SELECT state FROM run ORDER BY id')).toEqual([
      { state: 'died' },
      { state: 'done' },
      { state: 'done' },
    ]);

    const whole = await scene();
    await whole.run(QUARTER);
    const all = 'SELECT customer_id, date, clicks, cost_micros FROM stats ORDER BY 1, 2, 3, 4';
    expect(rows(all)).toEqual(whole.rows(all));
  });

  it('does not resume a query whose text has changed, and says so', async () => {
    const { folder, spoil, run, days } = await scene();
    spoil(({ query }) => (query?.includes('keyword_view') ? { kind: 'status', status: 500 } : undefined));
    expect((await run(QUARTER)).code).toBe(1);
    spoil(undefined);
    days();
    writeFileSync(
      join(folder, 'queries', 'stats.sql'),
      STATS.replace('metrics.clicks,', 'metrics.clicks, metrics.impressions,'),
    );
    const { code, stdout } = await run(['--resume']);
    expect({ code, days: days() }).toEqual({ code: 0, days: [] });
    expect(stdout).toContain('3 unfinished parts were not resumed, because the query was changed since (stats).');
  });
});

describe('a replayed market', () => {
  const MARKET = 'date,keyword_id,impressions,clicks\n2026-10-01,1,10,2\n2026-10-20,1,10,2\n';
  const LAST_DAYS =
    'SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE segments.date DURING LAST_7_DAYS';

  /** A folder whose sandbox replays the file, and which has read nothing. */
  function replaying() {
    const folder = tempDir();
    writeFolder(folder, 'queries', { 'days.sql': LAST_DAYS });
    writeFolder(folder, 'rules', {});
    writeFileSync(join(folder, 'market.csv'), MARKET);
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'sandbox: { market: market.csv }\n');
    return (args: readonly string[], now = NOON) => runInProcess(args, { folder, env: { PACEKEEPER_NOW: now } });
  }

  it.each([['extract'], ['report']])(
    'without the days of the queries is refused by %s, with the clock to set',
    async (command) => {
      const run = replaying();
      const refused = await run([command]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(
        'error: market.csv has days from 2026-10-01 to 2026-10-20, and the queries ask for 2026-11-13 to 2026-11-19.\n' +
          'next step: Set PACEKEEPER_NOW=2026-10-21T12:00:00Z, the day after the last day.\n',
      );
      const [, now = ''] = /PACEKEEPER_NOW=(\S+Z)/.exec(refused.stderr) ?? [];
      expect(await run([command], now)).toMatchObject({ code: 0 });
    },
  );

  it('without the days of a range is refused, with the range that it has', async () => {
    const run = replaying();
    const refused = await run(['extract', '--from', '2026-11-01', '--to', '2026-11-05']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(
      'error: market.csv has days from 2026-10-01 to 2026-10-20, none from 2026-11-01 to 2026-11-05.\n' +
        'next step: Give --from 2026-10-01 --to 2026-10-20, or days within.\n',
    );
    expect(await run(['extract', '--from', '2026-10-01', '--to', '2026-10-20'])).toMatchObject({ code: 0 });
  });

  it('with days that services no longer keep is refused, and read with the clock that the refusal names', async () => {
    const run = replaying();
    for (const range of [
      ['2026-10-01', '2026-10-20'],
      ['2031-01-01', '2031-01-05'],
    ] as const) {
      const { code, stderr } = await run(['extract', '--from', range[0], '--to', range[1]], '2031-02-01T12:00:00Z');
      expect(code).toBe(2);
      expect(stderr).toContain('PACEKEEPER_NOW=2026-10-21T12:00:00Z');
    }
  });

  it('lets report --no-extract and extract --resume run whatever the clock says', async () => {
    const run = replaying();
    expect(await run(['report', '--no-extract'])).toMatchObject({ code: 0 });
    expect(await run(['extract', '--resume'])).toMatchObject({ code: 0 });
  });
});
