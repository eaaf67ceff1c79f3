import type Database from 'better-sqlite3';

/** What a response holds, as decimal text: sums of micros outgrow JSON's numbers. */
export interface Totals {
  readonly rows: string;
  readonly impressions: string;
  readonly clicks: string;
  readonly costMicros: string;
}

/** Throws when the table does not hold exactly what the response did. */
export function checkTotals(connection: Database.Database, table: string, expected: Totals): void {
  const found = connection
    .prepare(
      `SELECT CAST(count(*) AS TEXT) AS rows, CAST(sum(impressions) AS TEXT) AS impressions,
              CAST(sum(clicks) AS TEXT) AS clicks, CAST(sum(cost_micros) AS TEXT) AS costMicros
       FROM "${table}"`,
    )
    .get() as Totals;
  for (const name of ['rows', 'impressions', 'clicks', 'costMicros'] as const) {
    if (found[name] !== expected[name]) {
      throw new Error(`Checking ${table}: found ${found[name]} as ${name}, expected ${expected[name]}.`);
    }
  }
}
