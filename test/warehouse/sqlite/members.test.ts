import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, daysOf } from '../../../src/domain/civil-date.ts';
import { customerId } from '../../../src/domain/ids.ts';
import type { ColumnValue, Member, MemberDemand } from '../../../src/domain/member.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { StoredColumn } from '../../../src/storage/warehouse/query-table.ts';
import { aggregateMembers } from '../../../src/storage/warehouse/sqlite/members.ts';
import { tableStatement } from '../../../src/storage/warehouse/sqlite/query-tables.ts';

const CUSTOMER = customerId('1234567890');

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
  column('clicks', 'INT64', 'metric'),
  column('cost_micros', 'INT64', 'metric'),
  column('conversions', 'DOUBLE', 'metric'),
];
const KEY = ['customer_id', 'date', 'ad_group_id', 'criterion_id'];
const FIRST = civilDate('2026-02-26');
const day = (number: number) => addDays(FIRST, number);

interface Row {
  readonly customer?: bigint;
  readonly day?: number;
  readonly campaign?: bigint | null;
  readonly adGroup?: bigint;
  readonly criterion?: bigint;
  readonly name?: string | null;
  readonly clicks?: bigint | null;
  readonly costMicros?: bigint;
  readonly conversions?: number;
}

function tableOf(rows: readonly Row[], key: readonly string[] = KEY): Database.Database {
  const connection = new Database(':memory:').defaultSafeIntegers(true);
  connection.exec(tableStatement({ name: 'stats', columns: COLUMNS, key }));
  const insert = connection.prepare(
    `INSERT INTO stats (customer_id, date, ad_group_id, criterion_id, campaign_id, campaign_name, clicks, cost_micros, conversions, _row)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  rows.forEach((row, index) => {
    const { customer = BigInt(CUSTOMER), campaign = 1n, adGroup = 1n, criterion = BigInt(index), name = 'Shoes' } = row;
    const { clicks = 0n, costMicros = 0n, conversions = 0 } = row;
    insert.run(customer, day(row.day ?? 0), adGroup, criterion, campaign, name, clicks, costMicros, conversions, index);
  });
  return connection;
}

const DEMAND: MemberDemand = {
  grain: 'campaign',
  ids: ['campaign_id'],
  stretches: [
    { from: day(0), to: day(2) },
    { from: day(3), to: day(3) },
  ],
  metrics: [
    { column: 'clicks', type: 'INT64' },
    { column: 'cost_micros', type: 'INT64' },
    { column: 'conversions', type: 'DOUBLE' },
  ],
  attributes: ['campaign_name'],
};

const read = (rows: readonly Row[], changes: Partial<MemberDemand> = {}, key?: readonly string[]): Member[] => [
  ...aggregateMembers({ connection: tableOf(rows, key) }, 'stats', CUSTOMER, { ...DEMAND, ...changes }),
];
const sumsOf = (members: readonly Member[]) =>
  members.map(({ ids, stretches }) => [...ids, ...stretches.map((stretch) => stretch?.sums.join(' '))]);

describe('the members of an account', () => {
  it('stay one after a rename, with the newest name in each stretch', () => {
    const rows = [{ name: 'Old' }, { day: 1, name: 'New' }, { day: 3, name: null }];
    const [only, ...others] = read(rows);
    expect(others).toEqual([]);
    expect(only?.stretches.map((stretch) => stretch?.attributes)).toEqual([['New'], [null]]);
  });

  it('have no sum if a row has no value', () => {
    const rows = [{ clicks: 1n }, { day: 1, clicks: null }, { day: 3, clicks: 4n }];
    expect(read(rows)[0]?.stretches.map((stretch) => stretch?.sums[0])).toEqual([null, 4n]);
  });

  it('are distinguished by several ids', () => {
    const rows = [1n, 2n, 3n].map((criterion) => ({ adGroup: 1n + (criterion % 2n), criterion, clicks: criterion }));
    const members = read(rows, { grain: 'keyword', ids: ['ad_group_id', 'criterion_id'], attributes: ['campaign_id'] });
    expect(members.map(({ ids, stretches }) => [...ids, stretches[0]?.sums[0], stretches[0]?.attributes[0]])).toEqual([
      [1n, 2n, 2n, 1n],
      [2n, 1n, 1n, 1n],
      [2n, 3n, 3n, 1n],
    ]);
  });

  it('are the account itself without ids, and nothing without rows', () => {
    const rows = [
      { campaign: 1n, clicks: 1n },
      { campaign: null, clicks: 2n },
      { day: 3, clicks: 4n },
    ];
    const account = { grain: 'account', ids: [], attributes: [] } as const;
    expect(sumsOf(read(rows, account))).toEqual([['3 0 0', '4 0 0']]);
    expect(read([], account)).toEqual([]);
  });

  it('exist without a metric, too', () => {
    const members = read([{}, { day: 1 }], { metrics: [] });
    expect(members).toEqual([{ ids: [1n], stretches: [{ sums: [], attributes: ['Shoes'] }, undefined] }]);
  });

  const HUGE = 2n ** 63n - 1n;
  it('leave no rows behind, even if reading stops early', () => {
    const connection = tableOf([{ campaign: 1n }, { campaign: 2n }]);
    for (const _ of aggregateMembers({ connection }, 'stats', CUSTOMER, DEMAND)) break;
    const names = connection.prepare('SELECT name FROM temp.sqlite_master').pluck().all();
    expect(names.map((name) => connection.prepare(`SELECT * FROM temp.${name}`).all())).toEqual([[]]);
    expect([...aggregateMembers({ connection }, 'stats', CUSTOMER, DEMAND)]).toHaveLength(2);
  });

  it('are the same inside a transaction', () => {
    const connection = tableOf([{ clicks: HUGE }, { clicks: HUGE }]);
    const inside = connection.transaction(() => [...aggregateMembers({ connection }, 'stats', CUSTOMER, DEMAND)])();
    expect(inside[0]?.stretches[0]?.sums[0]).toBe(2n * HUGE);
  });
});

const id = fc.bigInt({ min: 1n, max: 3n });
const anyRow: fc.Arbitrary<Row> = fc.record({
  customer: fc.constantFrom(BigInt(CUSTOMER), 5n),
  day: fc.integer({ min: -1, max: 9 }),
  campaign: fc.oneof(fc.constant(null), fc.bigInt({ min: -1n, max: 4n })),
  adGroup: id,
  name: fc.constantFrom('A', 'B', null),
  clicks: fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  costMicros: fc.bigInt({ min: 0n, max: 2n ** 62n }),
  conversions: fc.integer({ min: 0, max: 100_000_000 }).map((hundredths) => hundredths / 100),
});

it.each([
  ['with a key', KEY],
  ['without a key', []],
])('equal the sums added up one by one, for any rows: a table %s', (_, key) => {
  const cuts = fc.uniqueArray(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 60 }), cuts, (rows, unsorted) => {
      const bounds = [...unsorted].sort((a, b) => a - b);
      const stretches = bounds.slice(1).map((end, index) => ({ from: day(bounds[index] ?? 0), to: day(end - 1) }));
      const expected = naiveSums(rows, stretches.map(daysOf));
      expect(
        new Map(
          read(rows, { stretches }, key).map(({ ids, stretches: found }) => [
            ids[0],
            found.map((stretch) => stretch?.sums),
          ]),
        ),
      ).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});

function naiveSums(rows: readonly Row[], stretches: readonly (readonly string[])[]): Map<ColumnValue, unknown> {
  const found = new Map<ColumnValue, (bigint[] | undefined)[]>();
  for (const { customer, day: number = 0, campaign, clicks, costMicros = 0n, conversions = 0 } of rows) {
    const stretch = stretches.findIndex((days) => days.includes(day(number)));
    if (customer !== BigInt(CUSTOMER) || stretch === -1 || !campaign || campaign < 1n) continue;
    const sums = found.get(campaign) ?? stretches.map(() => undefined);
    const [a = 0n, b = 0n, c = 0n] = sums[stretch] ?? [];
    sums[stretch] = [a + (clicks ?? 0n), b + costMicros, c + BigInt(Math.round(conversions * 1_000_000))];
    found.set(campaign, sums);
  }
  return new Map([...found].sort(([one], [other]) => (Number(one) < Number(other) ? -1 : 1)));
}
