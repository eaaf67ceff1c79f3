import type Database from 'better-sqlite3';

/** What a response or a table holds, as decimal text: sums of micros outgrow JSON's numbers. */
export interface Totals {
  readonly rows: string;
  readonly impressions: string;
  readonly clicks: string;
  readonly costMicros: string;
}

export const NO_ROWS: Totals = { rows: '0', impressions: '0', clicks: '0', costMicros: '0' };

export function addTotals(one: Totals, other: Totals): Totals {
  const add = (name: keyof Totals) => String(BigInt(one[name]) + BigInt(other[name]));
  return {
    rows: add('rows'),
    impressions: add('impressions'),
    clicks: add('clicks'),
    costMicros: add('costMicros'),
  };
}

/** Throws when the table does not hold exactly what it should. */
export function checkTotals(connection: Database.Database, table: string, expected: Totals): void {
  const found = connection
    .prepare(
      `SELECT CAST(count(*) AS TEXT) AS rows, CAST(sum(impressions) AS TEXT) AS impressions,
              CAST(sum(clicks) AS TEXT) AS clicks, CAST(sum(cost_micros) AS TEXT) AS costMicros
       FROM "${table}"`,
    )
    .get() as Totals;
  compareTotals(table, found, expected);
}

export function compareTotals(table: string, found: Totals, expected: Totals): void {
  for (const name of ['rows', 'impressions', 'clicks', 'costMicros'] as const) {
    if (found[name] !== expected[name]) {
      throw new Error(`Checking ${table}: found ${found[name]} as ${name}, expected ${expected[name]}.`);
    }
  }
}
