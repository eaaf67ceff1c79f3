import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import type { ColumnValue, MemberDemand, MemberGrain } from '../../src/domain/member.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { rational } from '../../src/domain/rational.ts';
import { DaySums } from '../../src/language/trial/day-sums.ts';
import type { StoredColumn } from '../../src/storage/warehouse/query-table.ts';
import { aggregateMembers, dayMembers } from '../../src/storage/warehouse/sqlite/members.ts';
import { tableStatement } from '../../src/storage/warehouse/sqlite/query-tables.ts';

const CUSTOMER = customerId('1234567890');
const FIRST = civilDate('2026-02-20');
const LAST_DAY = 11;
const day = (number: number) => addDays(FIRST, number);
const column = (name: string, type: StoredColumn['type'], role: StoredColumn['role'] = 'attribute'): StoredColumn => ({
  name,
  type,
  role,
  field: name,
});
const COLUMNS = [
  column('ad_group_id', 'INT64'),
  column('criterion_id', 'INT64'),
  column('date', 'DATE', 'segment'),
  column('campaign_id', 'INT64'),
  column('campaign_name', 'STRING'),
  column('ad_group_name', 'STRING'),
  column('clicks', 'INT64', 'metric'),
  column('cost_micros', 'INT64', 'metric'),
  column('conversions', 'DOUBLE', 'metric'),
];

type Row = readonly [
  customer: bigint,
  day: number,
  adGroup: bigint,
  criterion: bigint,
  metrics: readonly [bigint | null, bigint, number],
];

const anyRow: fc.Arbitrary<Row> = fc.tuple(
  fc.constantFrom(BigInt(CUSTOMER), 5n),
  fc.integer({ min: 0, max: LAST_DAY }),
  fc.bigInt({ min: 1n, max: 12n }),
  fc.bigInt({ min: 0n, max: 3n }),
  fc.tuple(
    fc.oneof(
      fc.constant(null),
      fc.bigInt({ min: 0n, max: 1000n }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    ),
    fc.bigInt({ min: 0n, max: 2n ** 62n }),
    fc.integer({ min: 0, max: 100_000 }).map((hundredths) => hundredths / 100),
  ),
);

const METRICS = [
  { column: 'clicks', type: 'INT64' },
  { column: 'cost_micros', type: 'INT64' },
  { column: 'conversions', type: 'DOUBLE' },
] as const;
const GRAINS: Readonly<Record<MemberGrain, { readonly ids: string[]; readonly attributes: string[] }>> = {
  account: { ids: [], attributes: [] },
  campaign: { ids: ['campaign_id'], attributes: ['campaign_name'] },
  ad_group: { ids: ['ad_group_id'], attributes: ['ad_group_name', 'campaign_id'] },
  keyword: { ids: ['ad_group_id', 'criterion_id'], attributes: ['campaign_name', 'ad_group_name'] },
};

const anyDemand: fc.Arbitrary<MemberDemand> = fc
  .record({
    grain: fc.constantFrom<MemberGrain>('account', 'campaign', 'ad_group', 'keyword'),
    metrics: fc.subarray([...METRICS], { minLength: 0 }),
    bounds: fc.uniqueArray(fc.integer({ min: 0, max: LAST_DAY + 1 }), { minLength: 2, maxLength: 8 }),
    gaps: fc.boolean(),
  })
  .chain(({ grain, metrics, bounds, gaps }) =>
    fc.subarray(GRAINS[grain].attributes).map((attributes) => {
      const cuts = bounds.toSorted((a, b) => a - b);
      const stretches = cuts.slice(1).map((end, index) => ({ from: day(cuts[index] ?? 0), to: day(end - 1) }));
      const kept = stretches.filter((_, index) => !gaps || index % 2 === 0);
      return { grain, ids: GRAINS[grain].ids, metrics, attributes, stretches: kept };
    }),
  );

function tableOf(rows: readonly Row[]): Database.Database {
  const connection = new Database(':memory:').defaultSafeIntegers(true);
  connection.exec(tableStatement({ name: 'stats', columns: COLUMNS, key: [] }));
  const insert = connection.prepare(
    `INSERT INTO stats (customer_id, date, campaign_id, ad_group_id, criterion_id, campaign_name, ad_group_name, clicks,
      cost_micros, conversions, _row) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  rows.forEach(([customer, number, adGroup, criterion, metrics], index) => {
    // Attributes are the same in all rows that a member has on a day, as those of the service are.
    const campaign = [null, 0n, 3n, 10n, 11n][Number(adGroup % 5n)];
    const names = [number % 3 === 0 ? null : `campaign ${number}`, `group ${number % 2}`];
    insert.run(customer, day(number), campaign, adGroup, criterion, ...names, ...metrics, index);
  });
  return connection;
}

const inMemory = (connection: Database.Database, { grain }: MemberDemand): DaySums => {
  const shape = { ...GRAINS[grain], metrics: METRICS };
  const sums = new DaySums(FIRST, shape);
  const range = { from: FIRST, to: day(LAST_DAY) };
  for (const one of dayMembers({ connection }, 'stats', CUSTOMER, { grain, ...shape }, range)) {
    sums.add(one.ids, one.day, one.sums, one.attributes);
  }
  return sums;
};

it('days in memory give the same values as the table for any demand', () => {
  fc.assert(
    fc.property(
      fc.array(anyRow, { maxLength: 60 }),
      fc.array(anyDemand, { minLength: 1, maxLength: 4 }),
      (rows, all) => {
        const connection = tableOf(rows);
        for (const demand of all) {
          const expected = [...aggregateMembers({ connection }, 'stats', CUSTOMER, demand)];
          expect([...inMemory(connection, demand).members(demand)]).toEqual(expected);
        }
        connection.close();
      },
    ),
    { numRuns: 60 },
  );
});

const CLICKS = { metrics: [METRICS[0]], attributes: ['campaign_name'] };
const demandOf = (...stretches: readonly (readonly [number, number])[]): MemberDemand => ({
  grain: 'campaign',
  ids: ['campaign_id'],
  ...CLICKS,
  stretches: stretches.map(([from, to]) => ({ from: day(from), to: day(to) })),
});
const said = (sums: DaySums, demand: MemberDemand) =>
  [...sums.members(demand)].map(({ ids, stretches }) => [
    ids[0],
    ...stretches.map((stretch): ColumnValue | undefined => stretch && (stretch.sums[0] ?? null)),
  ]);

describe('days in memory', () => {
  const two = (clicks: readonly (bigint | null)[]): DaySums => {
    const sums = new DaySums(FIRST, CLICKS);
    clicks.forEach((value, index) => {
      sums.add([7n], day(index), [value], ['Shoes']);
    });
    return sums;
  };

  it('are ordered by the ids of their members', () => {
    const sums = two([1n]);
    sums.add([3n], day(1), [2n], ['Boots']);
    expect(said(sums, demandOf([0, 1]))).toEqual([
      [3n, 2n],
      [7n, 1n],
    ]);
    sums.add([1n], day(2), [4n], ['Socks']);
    expect(said(sums, demandOf([0, 2])).map(([id]) => id)).toEqual([1n, 3n, 7n]);
  });

  it('disappear when dropped', () => {
    const sums = two([1n, 2n, 4n]);
    sums.dropBefore(day(1));
    expect(said(sums, demandOf([0, 0], [1, 2]))).toEqual([[7n, undefined, 6n]]);
  });

  it('are exact beyond 64 bits, and afterwards', () => {
    const huge = 2n ** 70n;
    expect(said(two([1n, huge, -huge, 2n]), demandOf([0, 1], [0, 3]))).toEqual([[7n, huge + 1n, 3n]]);
  });

  it.each([
    ['as they were added', undefined, 17n],
    ['with a third less, rounded towards zero', { hadRows: true, factors: [rational(2n, 3n)] }, 15n],
    ['with the double', { hadRows: true, factors: [rational(2n)] }, 22n],
    ['the same where nothing is known of a metric', { hadRows: true, factors: [undefined] }, 17n],
    ['without the rows that were not known yet', { hadRows: false, factors: [] }, 12n],
  ])('show the values known at the time: %s', (_, known, expected) => {
    const sums = two([12n, 5n]);
    sums.seeAs(day(1), known);
    expect(said(sums, demandOf([0, 1]))).toEqual([[7n, expected]]);
    sums.seeAs(day(1), undefined);
    expect(said(sums, demandOf([0, 1]))).toEqual([[7n, 17n]]);
  });

  it('keep a day without a value unknown when it is scaled', () => {
    const sums = two([12n, null]);
    sums.seeAs(day(1), { hadRows: true, factors: [rational(2n)] });
    expect(said(sums, demandOf([0, 0], [0, 1]))).toEqual([[7n, 12n, null]]);
  });

  it('refuse a day before their first day', () => {
    expect(() => two([]).add([7n], day(-1), [1n], ['Shoes'])).toThrow('expected 2026-02-20 or later');
  });
});
