import { CUSTOMER_COLUMN, DATE_COLUMN, hasDays, type StoredQuery } from '../query-table.ts';
import { MONDAY } from './calendar-table.ts';

export type Grain = 'day' | 'week' | 'month';

/** `changed` means only days that changed since the last publication. */
export type Extent = 'all' | 'changed';

export const DAY_GRAIN: Grain = 'day';

export const FIRST_DAY: Readonly<Record<Grain, string>> = {
  day: 'date',
  week: MONDAY,
  month: "date(date, 'start of month')",
};

export const LAST_DAY: Readonly<Record<Grain, string>> = {
  day: 'date',
  week: `date(${MONDAY}, '+6 days')`,
  month: "date(date, 'start of month', '+1 month', '-1 day')",
};

export const GRAINS: readonly Grain[] = ['day', 'week', 'month'];

export function rowsWithin(extent: Extent, query: StoredQuery, grain: Grain, table: string, alias: string): string {
  if (extent === 'all') return `${table} AS ${alias}`;
  const { name } = query;
  const days = grain === DAY_GRAIN ? `= span."first day"` : `BETWEEN span."first day" AND span."last day"`;
  const within = hasDays(query) ? ` AND ${alias}.${DATE_COLUMN} ${days}` : '';
  // CROSS JOIN makes SQLite read the spans first, instead of scanning the whole table.
  return `temp.span CROSS JOIN ${table} AS ${alias} ON ${ofQuery(name, grain)}
    AND ${alias}.${CUSTOMER_COLUMN} = span."of account"${within}`;
}

export function ofQuery(name: string, grain: Grain): string {
  return `span."in query" = '${name.replaceAll("'", "''")}' AND span."in grain" = '${grain}'`;
}
