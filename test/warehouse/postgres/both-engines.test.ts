import { expect, it } from 'vitest';
import { daysOf } from '../../../src/domain/civil-date.ts';
import { type CustomerId, customerId } from '../../../src/domain/ids.ts';
import type { MemberDemand } from '../../../src/domain/member.ts';
import type { QueryFile } from '../../../src/language/gaql/query-file.ts';
import { openPostgres } from '../../../src/storage/records/postgres/open-records.ts';
import { MONTHS_LOCK } from '../../../src/storage/records/postgres/postgres-driver.ts';
import { dropQueryTable, ensureQueryTable, heldRows } from '../../../src/storage/warehouse/evolve-table.ts';
import { postgresWarehouse } from '../../../src/storage/warehouse/postgres/postgres-warehouse.ts';
import type { Store } from '../../../src/storage/warehouse/store.ts';
import { CUSTOMER, days, type Load, loadIntoStore, queryOf, row, STATS } from '../../extract/loads.ts';
import { bothEngines, freshStore } from '../../support/both-engines.ts';
import { byEffort } from '../../support/effort.ts';
import { describePostgres, onDatabase } from '../../support/postgres-server.ts';
import type { OpenedState } from '../../support/state.ts';

const WEEK = days('2026-11-26', '2026-12-02');

async function onBoth(query: QueryFile) {
  const both = await bothEngines();
  for (const store of [both.sqlite, both.postgres]) await ensureQueryTable(store, query);
  const tables = async (columns: string): Promise<[unknown[], unknown[]]> => {
    const sqlite = (both.sqlite as OpenedState).connection.prepare(`SELECT ${columns} FROM stats`).raw().all();
    const ofPostgres = columns.replace(/\bdate\b/, 'date::text');
    return [
      texts(sqlite as unknown[][]),
      texts(await onDatabase(both.postgres.url, `SELECT ${ofPostgres} FROM warehouse.stats`)),
    ];
  };
  return { ...both, tables };
}

const texts = (rows: readonly (readonly unknown[])[]) => rows.map((values) => values.map(String).join(' ')).sort();

/** A small generator, the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function randomLoad(next: (below: number) => number, pieces: string[][]): Load {
  const all = daysOf(WEEK);
  const from = next(5);
  const range = { from: all[from] ?? WEEK.from, to: all[from + next(all.length - from)] ?? WEEK.to };
  const inside = daysOf(range);
  const fresh = () =>
    Array.from({ length: 1 + next(4) }, () => {
      const day = next(20) === 0 ? all[next(all.length)] : inside[next(inside.length)];
      return row(1 + next(4), day ?? range.from, next(50));
    });
  const chosen = Array.from({ length: next(5) }, () => {
    const known = pieces[next(pieces.length + 1)];
    const piece = known ?? fresh();
    pieces.push(piece);
    return piece;
  });
  return { days: range, pieces: chosen, customer: next(4) === 0 ? '2' : CUSTOMER };
}

describePostgres('the same loads on both engines', () => {
  it.each(byEffort({ quick: [1], thorough: Array.from({ length: 20 }, (_, index) => index + 1) }))(
    'leave equal rows, results and chunks (history %i)',
    async (seed) => {
      const { sqlite, postgres, tables } = await onBoth(STATS);
      const next = numbers(seed);
      const pieces: string[][] = [];
      for (let step = 0; step < 20; step += 1) {
        const load = randomLoad(next, pieces);
        const outcome = (store: Store) => loadIntoStore(store, load).catch((error: Error) => error.message);
        expect([step, await outcome(postgres)]).toEqual([step, await outcome(sqlite)]);
        const [one, other] = await tables('customer_id, date, campaign_id, campaign_name, clicks, _row');
        expect(other).toEqual(one);
      }
      expect((await heldRows(postgres, 'stats'))?.rows).toBe((await heldRows(sqlite, 'stats'))?.rows);
    },
  );

  it.each([
    ['a value that is no number', '{"campaign":{"id":"x"},"segments":{"date":"2026-11-26"}}'],
    ['a number beyond int64', '{"campaign":{"id":"9223372036854775808"},"segments":{"date":"2026-11-26"}}'],
    ['no date', '{"campaign":{"id":"1"},"segments":{}}'],
    ['no day', '{"campaign":{"id":"1"},"segments":{"date":"2026-02-30"}}'],
    ['true instead of a number', '{"campaign":{"id":true},"segments":{"date":"2026-11-26"}}'],
    ['text instead of a row', '"x"'],
  ])('refuse %s, and keep the old rows', async (_, text) => {
    const { sqlite, postgres, tables } = await onBoth(STATS);
    const good: Load = { days: WEEK, pieces: [[row(1, '2026-11-26', 1)]] };
    for (const store of [sqlite, postgres]) {
      await loadIntoStore(store, good);
      await expect(loadIntoStore(store, { days: WEEK, pieces: [[text]] })).rejects.toThrow(/cannot be stored/);
    }
    const [one, other] = await tables('customer_id, date, campaign_id, clicks');
    expect(other).toEqual(one);
    expect(one).toHaveLength(1);
  });

  it('keep int64 exact, and replace NUL and half characters', async () => {
    const { sqlite, postgres, tables } = await onBoth(STATS);
    const odd = (id: string, clicks: string, name: string) =>
      `{"campaign":{"id":"${id}","name":${name}},"metrics":{"clicks":${clicks}},"segments":{"date":"2026-11-26"}}`;
    const pieces = [
      [
        odd('1', '"9007199254740993"', '"a\\u0000b\\ud83d"'),
        odd('2', '9223372036854775807', '"tab\\t line\\n return\\r back\\\\ quote\\" raw\t"'),
      ],
      [odd('3', '"-5"', '""'), odd('4', '7', '"日本 😀"'), '{"campaign":{"id":"5"},"segments":{"date":"2026-12-01"}}'],
    ];
    for (const store of [sqlite, postgres]) await loadIntoStore(store, { days: WEEK, pieces });
    const [one, other] = await tables('date, campaign_id, campaign_name, clicks');
    expect(other).toEqual(one);
  });

  it('let others read the table while they add a month', async () => {
    const { postgres } = await onBoth(STATS);
    await loadIntoStore(postgres, { days: days('2026-11-26'), pieces: [[row(1, '2026-11-26', 1)]] });
    const december = { query: STATS, customerId: CUSTOMER, days: days('2026-12-01') };
    await postgres.warehouse.loading(december, async (_, load) => {
      await load.add({ json: Buffer.from(`[${row(1, '2026-12-01', 2)}]`), booleans: false });
      await load.finish();
      const read = ["SET lock_timeout = '2s'", 'SELECT campaign_id, clicks FROM warehouse.stats'];
      expect(await onDatabase(postgres.url, ...read)).toEqual([['1', '1']]);
    });
    expect((await heldRows(postgres, 'stats'))?.rows).toBe(2n);
  });

  it('add a month that another process is adding', async () => {
    const { postgres } = await onBoth(STATS);
    const opened = await openPostgres({ url: postgres.url, waitMs: 5000 });
    const another = { ...opened, warehouse: postgresWarehouse(opened) };
    const customers = [CUSTOMER, customerId('1234567891')] as const;
    const loadFor = (store: Store, customer: CustomerId, then: () => Promise<unknown>) =>
      store.warehouse.loading({ query: STATS, customerId: customer, days: days('2026-12-01') }, async (_, load) => {
        await load.add({ json: Buffer.from(`[${row(1, '2026-12-01', 2)}]`), booleans: false });
        await load.finish();
        await then();
      });
    const waiting = `SELECT count(*)::int FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE datname = current_database() AND NOT granted AND objid = ${MONTHS_LOCK}`;
    let second: Promise<void> | undefined;
    await loadFor(postgres, customers[0], async () => {
      second = loadFor(another, customers[1], async () => undefined);
      await expect.poll(() => onDatabase(postgres.url, waiting)).toEqual([[1]]);
    });
    await second;
    await another.close();
    expect((await heldRows(postgres, 'stats'))?.rows).toBe(2n);
  });

  it('carry rows over to a table with a longer key, gain columns and lose all by a rebuild', async () => {
    const { sqlite, postgres, tables } = await onBoth(STATS);
    const text = 'SELECT campaign.id, campaign.name, metrics.clicks, segments.date, segments.device FROM campaign';
    const wider = queryOf(`${text} WHERE segments.date DURING LAST_7_DAYS`);
    for (const store of [sqlite, postgres]) {
      await loadIntoStore(store, { days: WEEK, pieces: [[row(1, '2026-11-30', 1), row(2, '2026-12-01', 2)]] });
      await ensureQueryTable(store, wider);
      await loadIntoStore(store, { query: wider, days: days('2026-12-01'), pieces: [[row(2, '2026-12-01', 9)]] });
    }
    const [one, other] = await tables('customer_id, date, campaign_id, clicks, device');
    expect(other).toEqual(one);
    await dropQueryTable(postgres, 'stats');
    await ensureQueryTable(postgres, STATS);
    expect((await heldRows(postgres, 'stats'))?.rows).toBe(0n);
  });
});

const SHARES = queryOf(`SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, metrics.impressions,
  metrics.conversions, metrics.conversions_value, metrics.search_impression_share,
  metrics.search_budget_lost_impression_share, segments.date FROM campaign WHERE segments.date DURING LAST_7_DAYS`);

const HOURS = queryOf(`SELECT campaign.id, segments.hour, metrics.clicks, metrics.conversions, segments.date
  FROM campaign WHERE segments.date DURING LAST_7_DAYS`);

const COUNTED = { impressions: 'impressions', share: 'search_impression_share' };

const OTHER = customerId('2');

const DEMAND: MemberDemand = {
  grain: 'campaign',
  ids: ['campaign_id'],
  stretches: [days('2026-11-26', '2026-11-27'), days('2026-11-28'), days('2026-11-30', '2026-12-02')],
  metrics: [
    { column: 'clicks', type: 'INT64' },
    { column: 'cost_micros', type: 'INT64' },
    { column: 'conversions', type: 'DOUBLE' },
    { column: 'eligible', type: 'DOUBLE', impressions: { ...COUNTED, lost: undefined } },
    { column: 'lost', type: 'DOUBLE', impressions: { ...COUNTED, lost: 'search_budget_lost_impression_share' } },
  ],
  attributes: ['campaign_name'],
};

function richRow(next: (below: number) => number, campaign: number, date: string): string {
  const share = [0.05, 0.1, 0.345, 0.5, 0.9, 1][next(6)];
  const metrics = {
    clicks: String(next(3) === 0 ? 9_000_000_000_000_000_000n : BigInt(next(1000))),
    costMicros: String(next(1_000_000_000)),
    impressions: String(next(10_000)),
    conversions: next(1_000_000) / 1_000_003,
    conversionsValue: (next(1_000_000) - 500_000) / 7,
    ...(next(4) === 0 ? {} : { searchImpressionShare: share, searchBudgetLostImpressionShare: next(100) / 97 }),
  };
  return JSON.stringify({ campaign: { id: campaign, name: `c${campaign} on ${date}` }, metrics, segments: { date } });
}

describePostgres('sums on both engines', () => {
  it('are equal for members, days, campaigns and accounts, beyond int64 and with unknown shares', async () => {
    const { sqlite, postgres } = await onBoth(SHARES);
    const next = numbers(7);
    const rows = daysOf(WEEK).flatMap((date) =>
      Array.from({ length: 12 }, (_, index) => index - 1).flatMap((id) =>
        next(6) === 0 ? [] : richRow(next, id, date),
      ),
    );
    const others = [richRow(next, 1, WEEK.from), richRow(next, 1, WEEK.to)];
    const found = [];
    for (const store of [sqlite, postgres]) {
      await loadIntoStore(store, { query: SHARES, days: WEEK, pieces: [rows.slice(0, 40), rows.slice(40)] });
      await loadIntoStore(store, { query: SHARES, days: WEEK, customer: OTHER, pieces: [others] });
      const { warehouse } = store;
      const account: MemberDemand = { ...DEMAND, grain: 'account', ids: [], attributes: [] };
      const { stretches: _, ...shape } = DEMAND;
      found.push({
        members: [...(await warehouse.members('stats', CUSTOMER, DEMAND))],
        account: [...(await warehouse.members('stats', CUSTOMER, account))],
        nobody: [...(await warehouse.members('stats', customerId('3'), DEMAND))],
        days: [...(await warehouse.dayMembers('stats', CUSTOMER, shape, WEEK))],
        totals: [...(await warehouse.totals(SHARES, [OTHER, customerId('3'), CUSTOMER], WEEK))].sort(),
        all: await warehouse.totals(SHARES, [CUSTOMER], undefined),
      });
    }
    const [one, other] = found;
    for (const part of Object.keys(one ?? {}) as (keyof NonNullable<typeof one>)[]) {
      expect(rounded(other?.[part])).toEqual(rounded(one?.[part]));
    }
    expect(one?.members.length).toBe(10);
    expect(one?.totals.map(([id, { campaigns }]) => [id, campaigns.length])).toEqual([
      [CUSTOMER, 12],
      [OTHER, 1],
    ]);
    expect(one?.all.get(CUSTOMER)?.campaigns).toEqual([]);
  });

  it('count only the hours before a bound, beside sums of whole days', async () => {
    const { sqlite, postgres } = await onBoth(HOURS);
    const hourRow = (hour: number, clicks: string, conversions: number) =>
      JSON.stringify({
        campaign: { id: 1 },
        metrics: { clicks, conversions },
        segments: { date: '2026-11-26', hour },
      });
    const beyond = '9000000000000000000';
    const pieces = [[hourRow(0, beyond, 0.25), hourRow(13, beyond, 0.5), hourRow(14, beyond, 4), hourRow(23, '7', 8)]];
    const until = { hours: 'hour', hour: 14 };
    const demand: MemberDemand = {
      grain: 'campaign',
      ids: ['campaign_id'],
      stretches: [days('2026-11-26'), days('2026-11-27')],
      metrics: [
        { column: 'clicks', type: 'INT64' },
        { column: 'clicks', type: 'INT64', until },
        { column: 'conversions', type: 'DOUBLE', until },
        { column: 'clicks', type: 'INT64', until: { ...until, hour: 0 } },
      ],
      attributes: [],
    };
    for (const store of [sqlite, postgres]) {
      await loadIntoStore(store, { query: HOURS, days: WEEK, pieces });
      const [member, ...others] = await store.warehouse.members('stats', CUSTOMER, demand);
      expect(others).toEqual([]);
      expect(member?.stretches.map((stretch) => stretch?.sums)).toEqual([
        [3n * BigInt(beyond) + 7n, 2n * BigInt(beyond), 750_000n, 0n],
        undefined,
      ]);
    }
  });

  it('a name that PostgreSQL would cut is refused', async () => {
    const { db, warehouse } = await freshStore();
    const name = 'a'.repeat(64);
    const made = db.transaction().execute((trx) => warehouse.createTable(trx, { name, columns: [], key: [] }));
    await expect(made).rejects.toThrow(`The name ${name} is too long for PostgreSQL`);
  });
});

/** Ratios of floats may differ in their last digit, because the rows come in another order. */
function rounded(value: unknown): unknown {
  const text = (each: unknown): unknown =>
    typeof each === 'bigint'
      ? `${each}n`
      : typeof each === 'number'
        ? each.toPrecision(13)
        : each instanceof Map
          ? [...each].map(([key, one]) => [key, text(one)])
          : Array.isArray(each)
            ? each.map(text)
            : typeof each === 'object' && each !== null
              ? Object.fromEntries(Object.entries(each).map(([key, one]) => [key, text(one)]))
              : each;
  return text(value);
}
