import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { ensureQueryTable } from '../../../src/storage/warehouse/evolve-table.ts';
import type { ConversionWindows } from '../../../src/storage/warehouse/publish/calendar-table.ts';
import type { Store } from '../../../src/storage/warehouse/store.ts';
import { days, loadIntoStore, queryOf } from '../../extract/loads.ts';
import { bothEngines } from '../../support/both-engines.ts';
import { describePostgres, onDatabase } from '../../support/postgres-server.ts';
import { freshState } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const BERLIN = customerId('1000000001');
const NOWHERE = customerId('1000000002');
const NEW_YORK = customerId('1000000003');
const MARS = customerId('1000000004');

const STATS = queryOf(`SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, metrics.conversions,
  segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS`);
const FEW = {
  ...queryOf(
    'SELECT campaign.id, metrics.clicks, metrics.cost_micros, segments.date FROM campaign WHERE segments.date DURING LAST_7_DAYS',
  ),
  name: 'few',
};

const WINDOWS: ConversionWindows = { closesAt: '03:00', days: 7, ofAccounts: new Map([[NEW_YORK, 3]]) };

type Read = readonly [date: string, state: 'settled' | 'provisional', readAt: string];

/** A campaign with a new name each day, a negative correction, and days without rows. */
const row = (date: string, campaign: number, clicks: number, conversions: number) =>
  JSON.stringify({
    campaign: { id: `${campaign}`, name: `c${campaign} on ${date}` },
    metrics: { clicks: `${clicks}`, costMicros: `${clicks * 1_234_567}`, conversions },
    segments: { date },
  });

const HISTORY: ReadonlyMap<typeof BERLIN, { zone: string | null; reads: readonly Read[]; rows: readonly string[] }> =
  new Map([
    [
      BERLIN,
      {
        zone: 'Europe/Berlin',
        reads: [
          // Berlin left summer time on 25 October: its 03:00 came two hours before UTC's, then one.
          ['2026-10-16', 'settled', '2026-10-24T00:59:59Z'],
          ['2026-10-17', 'settled', '2026-10-25T02:00:00Z'],
          ['2026-10-18', 'settled', '2026-10-26T01:59:59Z'],
          ['2026-10-30', 'settled', '2026-11-20T12:00:00Z'],
          ['2026-11-02', 'settled', '2026-11-20T12:00:00Z'],
          ['2026-11-12', 'settled', '2026-11-20T02:00:00Z'],
          ['2026-11-13', 'settled', '2026-11-20T12:00:00Z'],
          ['2026-11-19', 'settled', '2026-11-20T12:00:00Z'],
          ['2026-11-20', 'provisional', '2026-11-20T12:00:00Z'],
        ],
        rows: [
          row('2026-10-30', 7, 10, 1),
          row('2026-11-02', 7, 20, 2.5),
          row('2026-11-02', 8, 5, 0),
          row('2026-11-12', 7, -3, -0.5),
          row('2026-11-20', 7, 4, 0),
        ],
      },
    ],
    [
      NOWHERE,
      {
        zone: null,
        // Without a zone, the day ends last: at 15:00 UTC, and its conversions seven days later.
        reads: [
          ['2026-11-01', 'settled', '2026-11-09T14:59:59Z'],
          ['2026-11-03', 'settled', '2026-11-11T15:00:00Z'],
        ],
        rows: [row('2026-11-01', 7, 1, 1), row('2026-11-03', 7, 2, 1)],
      },
    ],
    [
      NEW_YORK,
      {
        zone: 'America/New_York',
        reads: [
          ['2026-11-15', 'settled', '2026-11-19T07:59:59Z'],
          ['2026-11-16', 'settled', '2026-11-20T08:00:00Z'],
        ],
        rows: [row('2026-11-15', 9, 1, 1), row('2026-11-16', 9, 1, 1)],
      },
    ],
    [MARS, { zone: 'Mars/Olympus', reads: [['2026-11-03', 'settled', '2026-11-11T15:00:00Z']], rows: [] }],
  ]);

async function fill(store: Store): Promise<void> {
  await sql`INSERT INTO run (id, command, target, target_kind, mode, dry_run, state, started_at)
    VALUES (1, 'report', 't', 'sandbox', 'apply', 0, 'done', '2026-11-20T12:00:00Z')`.execute(store.db);
  for (const query of [STATS, FEW]) await ensureQueryTable(store, query);
  for (const [customer, { zone, reads, rows }] of HISTORY) {
    await sql`INSERT INTO account (customer_id, name, currency, time_zone, seen_at)
      VALUES (${customer}, ${`Shop ${customer}`}, 'EUR', ${zone}, '2026-11-20T12:00:00Z')`.execute(store.db);
    const slices = await sql<{ id: bigint }>`INSERT INTO slice (run_id, query, query_text, customer_id, state, ended_at)
      VALUES (1, 'stats', 'q', ${customer}, 'done', '2026-11-20T12:00:00Z') RETURNING id`.execute(store.db);
    const range = days('2026-10-16', '2026-11-20');
    for (const query of [STATS, FEW]) {
      await loadIntoStore(store, {
        query,
        customer,
        days: range,
        pieces: query === STATS ? [rows] : [rows.slice(0, 1)],
      });
      for (const [date, state, readAt] of reads) {
        await sql`INSERT INTO account_day (query, customer_id, date, query_text, state, rows, totals, slice_id, read_at)
          VALUES (${query.name}, ${customer}, ${date}, 'q', ${state}, 0, ${query === STATS ? '{"clicks":"9"}' : '{}'},
            ${slices.rows[0]?.id ?? 0n}, ${readAt})`.execute(store.db);
      }
    }
  }
}

const publication = (path: string, conversions = WINDOWS) => ({
  path,
  nowMs: NOW_MS,
  describe: () => undefined,
  conversions,
});

/** Rows of a published file, as text. */
async function publishedFile(conversions = WINDOWS) {
  const store = await freshState();
  await fill(store);
  const path = `${tempDir()}/warehouse.sqlite`;
  await store.warehouse.publish(publication(path, conversions));
  const file = new Database(path, { readonly: true });
  return (text: string) => file.prepare(text).raw().all() as unknown[][];
}

describe('the days of a week or month', () => {
  it('are counted from account_day, for every campaign of the account alike', async () => {
    const rows = await publishedFile();
    const counts = 'days, days_complete, complete, days_with_rows';
    expect(rows(`SELECT campaign_id, month, ${counts} FROM stats_by_month WHERE customer_id = ${BERLIN}`)).toEqual([
      // The account was first read on the 16th, and most days are missing.
      [7, '2026-10-01', 16, 4, 0, 1],
      [7, '2026-11-01', 20, 4, 0, 3],
      [8, '2026-11-01', 20, 4, 0, 1],
    ]);
    // Without a time zone, nobody knows which days have ended, so only days between known ones are missing.
    expect(rows(`SELECT month, ${counts} FROM stats_by_month WHERE customer_id = ${NOWHERE}`)).toEqual([
      ['2026-11-01', 3, 2, 0, 2],
    ]);
    expect(rows(`SELECT week, ${counts} FROM stats_by_week WHERE customer_id = ${NEW_YORK}`)).toEqual([
      ['2026-11-09', 1, 1, 0, 1],
      ['2026-11-16', 4, 1, 0, 1],
    ]);
  });

  it.each([
    ['week', "date(date, '-6 days', 'weekday 1')", '7'],
    ['month', "substr(date, 1, 7) || '-01'", "CAST(strftime('%d', month, '+1 month', '-1 day') AS INTEGER)"],
  ])('of a %s equal a count of account_day', async (grain, first, length) => {
    const rows = await publishedFile();
    for (const query of ['stats', 'few']) {
      const table = `${query}_by_${grain}`;
      const counted = (what: string) =>
        `(SELECT ${what} FROM account_day AS d WHERE d.query = '${query}' AND d.customer_id = ${table}.customer_id AND ${first} = ${grain})`;
      expect(rows(`SELECT * FROM ${table}`).length).toBeGreaterThan(2);
      expect(
        rows(`SELECT * FROM ${table} WHERE days <> ${counted('count(*)')} OR days_complete <> ${counted("sum(state = 'settled')")}
          OR complete <> (${counted("sum(state = 'settled')")} = ${length})`),
      ).toEqual([]);
    }
  });

  it('are all complete in a whole month', async () => {
    const store = await freshState();
    await fill(store);
    store.connection.exec(`DELETE FROM account_day WHERE query = 'stats' AND customer_id = ${BERLIN} AND date < '2026-11-01';
      WITH RECURSIVE day (date) AS (VALUES ('2026-10-01') UNION ALL SELECT date(date, '+1 day') FROM day WHERE date < '2026-10-31')
      INSERT INTO account_day SELECT 'stats', ${BERLIN}, date, 'q', 'settled', 0, '{}', 1, '2026-11-20T12:00:00Z' FROM day`);
    const path = `${tempDir()}/warehouse.sqlite`;
    await store.warehouse.publish(publication(path));
    const file = new Database(path, { readonly: true });
    const months = file.prepare(`SELECT month, days, days_complete, complete FROM stats_by_month
      WHERE customer_id = ${BERLIN} AND campaign_id = 7`);
    expect(months.raw().all()).toEqual([
      ['2026-10-01', 31, 31, 1],
      ['2026-11-01', 20, 4, 0],
    ]);
    file.close();
  });
});

const FLAGS = `SELECT customer_id, date, complete, conversions_complete FROM account_day
  WHERE query = 'stats' AND state <> 'missing' ORDER BY 1, 2`;

describe('conversions_complete', () => {
  it("holds for days that were read after the account's own window, by its clock", async () => {
    const rows = await publishedFile();
    expect(rows(FLAGS)).toEqual([
      [Number(BERLIN), '2026-10-16', 1, 0],
      [Number(BERLIN), '2026-10-17', 1, 1],
      [Number(BERLIN), '2026-10-18', 1, 0],
      [Number(BERLIN), '2026-10-30', 1, 1],
      [Number(BERLIN), '2026-11-02', 1, 1],
      [Number(BERLIN), '2026-11-12', 1, 1],
      [Number(BERLIN), '2026-11-13', 1, 0],
      [Number(BERLIN), '2026-11-19', 1, 0],
      [Number(BERLIN), '2026-11-20', 0, 0],
      [Number(NOWHERE), '2026-11-01', 1, 0],
      [Number(NOWHERE), '2026-11-03', 1, 1],
      [Number(NEW_YORK), '2026-11-15', 1, 0],
      [Number(NEW_YORK), '2026-11-16', 1, 1],
      [Number(MARS), '2026-11-03', 1, 1],
    ]);
  });

  it('follows another window in the settings', async () => {
    const rows = await publishedFile({ ...WINDOWS, days: 1 });
    expect(rows(`${FLAGS.replace('ORDER', `AND customer_id = ${BERLIN} AND date > '2026-11-12' ORDER`)}`)).toEqual([
      [Number(BERLIN), '2026-11-13', 1, 1],
      [Number(BERLIN), '2026-11-19', 1, 0],
      [Number(BERLIN), '2026-11-20', 0, 0],
    ]);
  });
});

describe('v_campaign_day', () => {
  it('has the days of the query with the most clicks, with names, currency and flags', async () => {
    const rows = await publishedFile();
    const columns =
      'account_name, currency, campaign_name, date, clicks, cost_micros, conversions, complete, conversions_complete';
    expect(rows(`SELECT ${columns} FROM v_campaign_day WHERE customer_id = ${BERLIN} AND campaign_id = 7`)).toEqual([
      [`Shop ${BERLIN}`, 'EUR', 'c7 on 2026-11-20', '2026-10-30', 10, 12_345_670, 1, 1, 1],
      [`Shop ${BERLIN}`, 'EUR', 'c7 on 2026-11-20', '2026-11-02', 20, 24_691_340, 2.5, 1, 1],
      [`Shop ${BERLIN}`, 'EUR', 'c7 on 2026-11-20', '2026-11-12', -3, -3_703_701, -0.5, 1, 1],
      [`Shop ${BERLIN}`, 'EUR', 'c7 on 2026-11-20', '2026-11-20', 4, 4_938_268, 0, 0, 0],
    ]);
    const joined = `SELECT s.customer_id, s.date, s.campaign_id, a.name, s.clicks, s.cost_micros, s.conversions, d.state = 'settled'
      FROM stats AS s JOIN account AS a USING (customer_id)
      JOIN account_day AS d ON d.query = 'stats' AND d.customer_id = s.customer_id AND d.date = s.date`;
    const view =
      'SELECT customer_id, date, campaign_id, account_name, clicks, cost_micros, conversions, complete FROM v_campaign_day';
    expect(rows(`${joined} ORDER BY 1, 2, 3`)).toEqual(rows(`${view} ORDER BY 1, 2, 3`));
    expect(rows(view)).toHaveLength(9);
  });

  it('has no flag of conversions if no conversions exist, and no rows without the days of a campaign', async () => {
    const store = await freshState();
    await ensureQueryTable(store, FEW);
    const path = `${tempDir()}/warehouse.sqlite`;
    await store.warehouse.publish(publication(path));
    const file = new Database(path, { readonly: true });
    const names = file.prepare("SELECT name FROM pragma_table_info('v_campaign_day')").pluck().all();
    expect(names).toContain('complete');
    expect(names).not.toContain('conversions_complete');
    expect(file.prepare('SELECT * FROM v_campaign_day').all()).toEqual([]);
    file.close();
  });

  it('keeps the declared type of each column, also in an attached file', async () => {
    const store = await freshState();
    await fill(store);
    const path = `${tempDir()}/warehouse.sqlite`;
    await store.warehouse.publish(publication(path));
    const file = new Database(':memory:');
    file.prepare('ATTACH ? AS other').run(path);
    const types = file.prepare("SELECT name, type FROM pragma_table_info('v_campaign_day', 'other')").raw().all();
    expect(Object.fromEntries(types as [string, string][])).toEqual({
      customer_id: 'INTEGER',
      account_name: 'TEXT',
      date: 'DATE',
      campaign_id: 'INTEGER',
      campaign_name: 'TEXT',
      clicks: 'INTEGER',
      cost_micros: 'INTEGER',
      cost: 'DECIMAL(18,6)',
      currency: 'TEXT',
      average_cpc: 'DOUBLE',
      share_of_spend: 'DOUBLE',
      conversions: 'DOUBLE',
      cpa: 'DOUBLE',
      complete: 'BOOLEAN',
      conversions_complete: 'BOOLEAN',
    });
    expect(file.prepare('SELECT count(*) FROM other.v_campaign_day').pluck().get()).toBe(9);
    file.close();
  });
});

const READ_AS: Readonly<Record<string, string>> = {
  date: '::text',
  week: '::text',
  month: '::text',
  complete: '::int',
  conversions_complete: '::int',
};

describePostgres('on PostgreSQL', () => {
  it('the views agree with the file', async () => {
    const { sqlite, postgres } = await bothEngines();
    const path = `${tempDir()}/warehouse.sqlite`;
    for (const store of [sqlite, postgres]) {
      await fill(store);
      await store.warehouse.publish(publication(store === sqlite ? path : ''));
    }
    const file = new Database(path, { readonly: true });
    const wanted: Readonly<Record<string, string>> = {
      account_day: 'query, customer_id, date, state, complete, conversions_complete',
      stats_by_week: 'customer_id, week, campaign_id, days, days_complete, complete, days_with_rows',
      stats_by_month: 'customer_id, month, campaign_id, days, days_complete, complete, days_with_rows',
      few_by_month: 'customer_id, month, campaign_id, days, days_complete, complete, days_with_rows',
      v_campaign_day:
        'customer_id, date, campaign_id, account_name, campaign_name, clicks, complete, conversions_complete',
    };
    const texts = (rows: readonly (readonly unknown[])[]) => rows.map((values) => values.map(String).join('|')).sort();
    for (const [table, columns] of Object.entries(wanted)) {
      const list = columns.split(', ').map((name) => `${name}${READ_AS[name] ?? ''}`);
      const found = await onDatabase(postgres.url, `SELECT ${list.join(', ')} FROM warehouse.${table}`);
      const rows = file.prepare(`SELECT ${columns} FROM ${table}`).raw().all() as unknown[][];
      expect([table, ...texts(found)]).toEqual([table, ...texts(rows)]);
      expect(rows.length).toBeGreaterThan(1);
    }
    file.close();
  });
});
