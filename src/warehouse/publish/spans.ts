import type Database from 'better-sqlite3';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import { isDated, type StoredQuery } from '../stored-query.ts';
import { MONDAY } from './calendar-table.ts';

export type Grain = 'day' | 'week' | 'month';

/** Which rows of a table are written: all, or those of the days that changed since the last publication. */
export type Extent = 'all' | 'changed';

export const DAY_GRAIN: Grain = 'day';

/** The first day of the period that holds `date`, in SQL. */
export const FIRST_DAY: Readonly<Record<Grain, string>> = {
  day: 'date',
  week: MONDAY,
  month: "date(date, 'start of month')",
};

const LAST_DAY: Readonly<Record<Grain, string>> = {
  day: 'date',
  week: `date(${MONDAY}, '+6 days')`,
  month: "date(date, 'start of month', '+1 month', '-1 day')",
};

const GRAINS: readonly Grain[] = ['day', 'week', 'month'];

/**
 * Notes, in `temp.span`, the days that changed and the weeks and months that hold them, per query and account. A span of
 * a table without days is all of the account. No column of a query has a space in its name.
 */
export function noteSpans(file: Database.Database): void {
  file.exec(`CREATE TEMP TABLE span ("in query", "in grain", "of account" INTEGER, "first day" TEXT, "last day" TEXT,
    PRIMARY KEY ("in query", "in grain", "of account", "first day")) WITHOUT ROWID`);
  for (const grain of GRAINS) {
    const dated = grain === DAY_GRAIN ? 'true' : "date <> ''";
    file.exec(`INSERT OR IGNORE INTO temp.span
      SELECT query, '${grain}', customer_id, ${FIRST_DAY[grain]}, ${LAST_DAY[grain]} FROM state.unpublished_day WHERE ${dated}`);
  }
}

/** What follows FROM to read a table's rows: all of them, or those within the query's spans. */
export function rowsWithin(extent: Extent, query: StoredQuery, grain: Grain, table: string, alias: string): string {
  if (extent === 'all') return `${table} AS ${alias}`;
  const { name } = query;
  const days = grain === DAY_GRAIN ? `= span."first day"` : `BETWEEN span."first day" AND span."last day"`;
  const within = isDated(query) ? ` AND ${alias}.${DATE_COLUMN} ${days}` : '';
  // The planner would rather read all rows than trust that the spans are few.
  return `temp.span CROSS JOIN ${table} AS ${alias} ON ${ofQuery(name, grain)}
    AND ${alias}.${CUSTOMER_COLUMN} = span."of account"${within}`;
}

/** Takes the rows within the query's spans away from a table; `column` holds a period's first day. */
export function removeWithin(
  file: Database.Database,
  query: StoredQuery,
  grain: Grain,
  { table, column }: { readonly table: string; readonly column: string },
): void {
  const dated = isDated(query);
  const key = dated ? `(${CUSTOMER_COLUMN}, ${identifier(column)})` : CUSTOMER_COLUMN;
  const values = dated ? '"of account", "first day"' : '"of account"';
  file.exec(`DELETE FROM main.${identifier(table)}
    WHERE ${key} IN (SELECT ${values} FROM temp.span WHERE ${ofQuery(query.name, grain)})`);
}

function ofQuery(name: string, grain: Grain): string {
  return `span."in query" = '${name.replaceAll("'", "''")}' AND span."in grain" = '${grain}'`;
}
