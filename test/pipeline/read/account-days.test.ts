import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../../commands/run-in-process.ts';
import { accountNumber, accountsService, STATS_QUERY, statsRow } from '../../support/accounts-service.ts';
import { sample } from '../../support/effort.ts';
import { extractIn } from '../../support/extract-in.ts';
import { fakeClock, fakePauses } from '../../support/fake-time.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { createWorld, writeFolder } from '../../support/world.ts';

const { customerId: EUR } = TRIMMED;
const TODAY_TOO = STATS_QUERY.replace('DURING LAST_7_DAYS', 'BETWEEN :today-3 AND :today');

interface PlaceOptions {
  readonly zones: readonly string[];
  readonly now: string;
  readonly config?: string;
}

/** Accounts of these time zones with as many clicks on each day as `clicks` says. */
async function place({ zones, now, config = '' }: PlaceOptions) {
  const folder = tempDir();
  writeFolder(folder, 'queries', { 'stats.sql': TODAY_TOO });
  mkdirSync(join(folder, 'rules'));
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  const clicks = new Map<string, number>();
  const stub = await accountsService({
    accounts: zones.length,
    timeZones: Object.fromEntries(zones.map((zone, index) => [accountNumber(index), zone])),
    onStream: (_customer, _response, end) => end([...clicks].map(([date, number]) => statsRow(date, number))),
  });
  const clock = fakeClock(now);
  const here = { folder, env: stub.env, clock, pauses: fakePauses() };
  const rows = (sql: string): Record<string, unknown>[] => {
    const database = new Database(join(folder, 'data', 'state.sqlite'), { readonly: true });
    try {
      return database.prepare(sql).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  };
  const states = (account = 0) =>
    rows(
      `SELECT substr(date, 6) || ' ' || state AS day FROM account_day WHERE customer_id = ${accountNumber(account)}`,
    ).map(({ day }) => day);
  return { ...here, stub, clicks, rows, states, run: (options = {}) => extractIn(here, options) };
}

describe('a day of an account', () => {
  it.each(
    sample([
      ['2026-11-20T02:59:00Z', '', ['11-17 settled', '11-18 settled', '11-19 provisional', '11-20 provisional']],
      ['2026-11-20T03:00:00Z', '', ['11-17 settled', '11-18 settled', '11-19 settled', '11-20 provisional']],
      [
        '2026-11-20T05:59:00Z',
        'extract: { day_closes_at: "06:00" }',
        ['11-17 settled', '11-18 settled', '11-19 provisional', '11-20 provisional'],
      ],
      [
        '2026-11-20T12:00:00Z',
        'extract: { settle_days: { stats: 2 } }',
        ['11-17 settled', '11-18 provisional', '11-19 provisional', '11-20 provisional'],
      ],
      [
        '2026-11-20T12:00:00Z',
        'extract: { settle_days: { other: 2 } }',
        ['11-17 settled', '11-18 settled', '11-19 settled', '11-20 provisional'],
      ],
    ]),
  )('read at %s with "%s" is complete once it has closed', async (now, config, expected) => {
    const { run, states } = await place({ zones: ['UTC'], now, config });
    await run();
    expect(states()).toEqual(expected);
  });

  it('follows the account’s time zone, on both sides of the date line in one run', async () => {
    const { run, states, stub } = await place({
      zones: ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC'],
      now: '2026-11-20T10:30:00Z',
      config: 'extract: { concurrency: 1 }',
    });
    await run();
    expect(stub.texts.map((text) => /BETWEEN .*/.exec(text)?.[0])).toEqual([
      "BETWEEN '2026-11-18' AND '2026-11-21'",
      "BETWEEN '2026-11-16' AND '2026-11-19'",
      "BETWEEN '2026-11-17' AND '2026-11-20'",
    ]);
    // 00:30 on the 21st, 23:30 on the 19th, 10:30 on the 20th.
    expect(states(0)).toEqual(['11-18 settled', '11-19 settled', '11-20 provisional', '11-21 provisional']);
    expect(states(1)).toEqual(['11-16 settled', '11-17 settled', '11-18 settled', '11-19 provisional']);
    expect(states(2)).toEqual(['11-17 settled', '11-18 settled', '11-19 settled', '11-20 provisional']);
  });

  it.each(
    sample([
      // Berlin: 2026-10-25 has 25 hours, 2026-03-29 has 23. 03:00 is 02:00Z in winter and 01:00Z in summer.
      ['Europe/Berlin', '2026-10-25T01:59:00Z', '10-24 provisional'],
      ['Europe/Berlin', '2026-10-25T02:00:00Z', '10-24 settled'],
      ['Europe/Berlin', '2026-10-26T01:59:00Z', '10-25 provisional'],
      ['Europe/Berlin', '2026-10-26T02:00:00Z', '10-25 settled'],
      ['Europe/Berlin', '2026-03-29T00:59:00Z', '03-28 provisional'],
      ['Europe/Berlin', '2026-03-29T01:00:00Z', '03-28 settled'],
      // Los Angeles: 03:00 is 10:00Z in summer and 11:00Z in winter.
      ['America/Los_Angeles', '2026-11-01T10:59:00Z', '10-31 provisional'],
      ['America/Los_Angeles', '2026-11-01T11:00:00Z', '10-31 settled'],
    ]),
  )('in %s on a night of a clock change is at %s: %s', async (zone, now, expected) => {
    const { run, states } = await place({ zones: [zone], now });
    await run();
    expect(states()[2]).toBe(expected);
  });
});

describe('rules', () => {
  it.each(
    sample([
      ['2026-11-20T01:30:00Z', '', '2026-11-12 to 2026-11-18'],
      ['2026-11-20T12:00:00Z', '', '2026-11-13 to 2026-11-19'],
      ['2026-11-20T12:00:00Z', 'extract: { settle_days: { stats: 2 } }\n', '2026-11-11 to 2026-11-17'],
    ]),
  )('at %s with "%s" use the last complete days: %s', async (now, config, days) => {
    const queries = { 'stats.sql': TRIM_QUERIES['stats.sql'].replace('LAST_7_DAYS', 'LAST_14_DAYS') };
    const world = await createWorld({ now, config, queries, rules: TRIM_RULES });
    const result = await world.report({ customers: [EUR as never], dryRun: true });
    expect(result.rules[0]?.notEvaluated).toBeUndefined();
    expect(result.decisions[0]?.reason).toContain(days);
  });

  it('refuse an incomplete day, and name it', async () => {
    const world = await createWorld({
      now: '2026-11-20T01:30:00Z',
      config: '',
      queries: TRIM_QUERIES,
      rules: TRIM_RULES,
    });
    await world.report({ customers: [EUR as never], dryRun: true });
    world.clock.set('2026-11-20T02:30:00Z');
    const result = await world.report({ customers: [EUR as never], dryRun: true, noExtract: true });
    expect(result.rules[0]?.notEvaluated).toBe('stats has no complete data for 2026-11-19');
    expect(result.decisions).toEqual([]);
  });
});

describe('the readings of a day', () => {
  it('get a row only if the totals changed, and the observed lag is right', async () => {
    const { run, rows, clock, clicks, folder } = await place({ zones: ['UTC'], now: '2026-11-18T12:00:00Z' });
    clicks.set('2026-11-17', 10);
    await run();
    clock.set('2026-11-19T12:00:00Z');
    await run();
    clicks.set('2026-11-17', 8);
    clock.set('2026-11-20T12:00:00Z');
    await run();
    await run();
    const readings = `SELECT days_after, totals ->> 'clicks' AS clicks FROM day_reading WHERE date = '2026-11-17' ORDER BY slice_id`;
    expect(rows(readings)).toEqual([
      { days_after: 1, clicks: '10' },
      { days_after: 3, clicks: '8' },
    ]);
    expect(rows("SELECT clicks FROM stats WHERE date = '2026-11-17'")).toEqual([{ clicks: 8 }]);
    const env = { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' };
    const { stdout } = await runInProcess(['coverage', '--format', 'json'], { folder, env });
    expect(JSON.parse(stdout)).toMatchObject([{ restated_days: 1, observed_lag_days: 3 }]);
  });

  it('are no late correction during the day or after a change of the query', async () => {
    const { run, clock, clicks, folder } = await place({ zones: ['UTC'], now: '2026-11-18T12:00:00Z' });
    clicks.set('2026-11-18', 10);
    await run();
    clicks.set('2026-11-18', 20);
    clock.set('2026-11-19T12:00:00Z');
    await run();
    const env = { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' };
    const coverage = async () =>
      JSON.parse((await runInProcess(['coverage', '--format', 'json'], { folder, env })).stdout);
    expect(await coverage()).toMatchObject([{ restated_days: 0, observed_lag_days: null }]);
    writeFileSync(join(folder, 'queries', 'stats.sql'), `${TODAY_TOO} AND metrics.clicks > 0`);
    clicks.set('2026-11-18', 15);
    clock.set('2026-11-20T12:00:00Z');
    await run();
    expect(await coverage()).toMatchObject([{ restated_days: 0, observed_lag_days: null }]);
  });

  it('are no late correction if a rebuilt table gets the same numbers again', async () => {
    const { run, clock, clicks, folder } = await place({ zones: ['UTC'], now: '2026-11-20T12:00:00Z' });
    clicks.set('2026-11-18', 10);
    clicks.set('2026-11-19', 20);
    await run();
    const env = { PACEKEEPER_NOW: '2026-11-21T12:00:00Z' };
    const command = (...args: string[]) => runInProcess(args, { folder, env });
    await command('warehouse', 'rebuild', 'stats');
    clicks.set('2026-11-19', 21);
    clock.set('2026-11-21T12:00:00Z');
    await run({ scope: { kind: 'range', range: { from: '2026-11-17', to: '2026-11-20' } } });
    const { stdout } = await command('coverage', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject([{ restated_days: 1, observed_lag_days: 2 }]);
  });
});
