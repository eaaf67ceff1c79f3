import type { Column } from '../gaql/check/column.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { absentKeyValue, CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier, ROW_COLUMN } from './query-table.ts';

/**
 * The statement that loads a piece of the stream, the JSON array of some rows, into the query's table. SQLite parses the
 * text and casts each value by its column, which keeps int64 exact. A row that is no object gets no account and so fails
 * the table's NOT NULL, as one without its key does. A row that is there already is replaced, its number too, and so that
 * nothing of it is older than the rest, what it has in columns that only earlier queries filled (`former`) is taken away.
 * The table has another name here, because a table called `excluded` would stand for the new row; a function that is asked for in
 * `temp` is SQLite's own, whatever a query's table is called.
 * Parameters: rows, customer, first (the number of the piece's first row).
 */
export function loadStatement(query: QueryFile, former: readonly string[]): string {
  const names = [CUSTOMER_COLUMN, ...query.columns.map(({ name }) => identifier(name)), ROW_COLUMN];
  const values = query.columns.map((column) => storedValue(column, query.key.includes(column.name)));
  // The LIMIT keeps SQLite from folding the two SELECTs into one, which would copy the row once for every column.
  return `INSERT INTO main.${identifier(query.name)} AS stored (${names.join(', ')})
    SELECT CASE WHEN type = 'object' THEN @customer END, ${values.join(', ')}, @first + key
    FROM (SELECT key, value, type FROM temp.jsonb_each(CAST(@rows AS TEXT)) LIMIT -1) WHERE true ${onConflict(query, former)}`;
}

function onConflict({ key, columns }: QueryFile, former: readonly string[]): string {
  if (key.length === 0) return '';
  const others = [...columns.map(({ name }) => name).filter((name) => !key.includes(name)), ROW_COLUMN].map(identifier);
  const set = [
    ...others.map((name) => `${name} = excluded.${name}`),
    ...former.map((name) => `${identifier(name)} = NULL`),
  ];
  return `ON CONFLICT (${key.map(identifier).join(', ')}) DO UPDATE SET ${set.join(', ')}`;
}

function storedValue(column: Column, isKey: boolean): string {
  const value = `value ->> '${pathOf(column)}'`;
  // The service may leave a zero metric out; an absent attribute is not known.
  const absent = column.role === 'metric' ? '0' : isKey ? absentKeyValue(column) : undefined;
  return absent === undefined ? value : `coalesce(${value}, ${absent})`;
}

const pathOf = ({ path }: Column): string => `$.${path.join('.')}`;

/**
 * The statement that counts the rows of a piece that say true or false where another type belongs: SQLite would take
 * them for 1 and 0. Undefined where every column may hold them. Parameters: rows.
 */
export function misplacedBooleansStatement({ columns }: QueryFile): string | undefined {
  const others = columns.filter(({ type }) => type !== 'BOOLEAN' && type !== 'MESSAGE');
  if (others.length === 0) return undefined;
  const tests = others.map((column) => `json_type(value, '${pathOf(column)}') IN ('true', 'false')`);
  return `SELECT count(*) FROM temp.jsonb_each(CAST(@rows AS TEXT)) WHERE ${tests.join(' OR ')}`;
}

/** What a slice's statements are about: the account's rows, of some days where the table has days. */
function sliceOf(query: QueryFile): string {
  const days = hasDays(query) ? ` AND ${DATE_COLUMN} BETWEEN @from AND @to` : '';
  return `${CUSTOMER_COLUMN} = @customer${days}`;
}

/** Rows from before this load, but those of pieces that came again as they were: temp.kept names the numbers of these. */
const STALE = `(${ROW_COLUMN} < @first AND ${ROW_COLUMN} >
  coalesce((SELECT last_row FROM temp.kept WHERE first_row <= ${ROW_COLUMN} ORDER BY first_row DESC LIMIT 1), -1))`;

/** To be run once per connection, before the others. */
export const KEPT_TABLE =
  'CREATE TEMP TABLE IF NOT EXISTS kept (first_row INTEGER PRIMARY KEY, last_row INTEGER NOT NULL)';

/**
 * The statement that notes which of the slice's days have rows that came newly or that are about to be taken away, so that
 * they are published again. A table without days is noted as a whole whenever it is read: its rows say when that was.
 * Parameters: query, customer, from, to, first.
 */
export function noteChangesStatement(query: QueryFile): string {
  const note = 'INSERT OR REPLACE INTO unpublished_day (query, customer_id, date)';
  if (!hasDays(query)) return `${note} VALUES (@query, @customer, '')`;
  return `${note} SELECT DISTINCT @query, @customer, ${DATE_COLUMN} FROM main.${identifier(query.name)}
    WHERE ${sliceOf(query)} AND (${ROW_COLUMN} >= @first OR ${STALE})`;
}

/** The same for a single day. Parameters: query, customer, date. */
export const NOTE_DAY =
  'INSERT OR REPLACE INTO unpublished_day (query, customer_id, date) VALUES (@query, @customer, @date)';

/** The statement that takes away what the slice had and the stream did not bring again. Parameters: customer, from, to, first. */
export function removeStaleStatement(query: QueryFile): string {
  return `DELETE FROM main.${identifier(query.name)} WHERE ${sliceOf(query)} AND ${STALE}`;
}

/** The statement that answers whether the slice has a row. Parameters: customer, from, to. */
export function anyRowStatement(query: QueryFile): string {
  return `SELECT 1 FROM main.${identifier(query.name)} WHERE ${sliceOf(query)} LIMIT 1`;
}

/** The statement that counts the slice's rows. Parameters: customer, from, to. */
export function countStatement(query: QueryFile): string {
  return `SELECT count(*) FROM main.${identifier(query.name)} WHERE ${sliceOf(query)}`;
}

/** The statement that counts the account's rows that temp.kept names. Parameters: customer, first. */
export function countKeptStatement(query: QueryFile): string {
  return `SELECT count(*) FROM main.${identifier(query.name)}
    WHERE ${CUSTOMER_COLUMN} = @customer AND ${ROW_COLUMN} < @first AND NOT ${STALE}`;
}

/**
 * The statement that finds the days that were delivered without being asked for: the service's calendar may differ from
 * ours. Parameters: customer, from, to, first.
 */
export function strayDaysStatement(query: QueryFile): string {
  return `SELECT DISTINCT ${DATE_COLUMN} FROM main.${identifier(query.name)}
    WHERE ${CUSTOMER_COLUMN} = @customer AND ${DATE_COLUMN} NOT BETWEEN @from AND @to AND NOT ${STALE}`;
}

/** The statement that takes such a day's earlier rows away, so that it is not there twice. Parameters: customer, date, first. */
export function removeStrayDayStatement(query: QueryFile): string {
  return `DELETE FROM main.${identifier(query.name)}
    WHERE ${CUSTOMER_COLUMN} = @customer AND ${DATE_COLUMN} = @date AND ${STALE}`;
}
