import type Database from 'better-sqlite3';
import { ApiError } from '../../../domain/errors.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { parseCivilDate } from '../../../domain/parse-civil-date.ts';
import type { Column } from '../../../language/gaql/check/column.ts';
import type { QueryFile } from '../../../language/gaql/query-file.ts';
import { prepared } from '../../records/sqlite/prepared.ts';
import { codeOf } from '../../records/sqlite/unusable-database.ts';
import { absentKeyValue, CUSTOMER_COLUMN, identifier, ROW_COLUMN } from '../query-table.ts';
import { badDate, type JsonRows, mendEscapes, misplacedBoolean, unusable } from '../slice-load.ts';

/**
 * Returns a function that puts the rows of a chunk into the query's table and counts them. It throws `ApiError` for a row that
 * cannot be stored. In replaced rows, `former` columns become NULL.
 */
export function rowInserter(
  connection: Database.Database,
  query: QueryFile,
  former: readonly string[],
): (piece: JsonRows, customer: CustomerId, first: bigint) => bigint {
  const load = prepared(connection, loadStatement(query, former));
  const misplaced = misplacedBooleansStatement(query);
  return (piece, customer, first) => {
    const json = mendEscapes(piece.json);
    try {
      if (piece.booleans && misplaced !== undefined) refuseBooleans(connection, misplaced, json);
      return BigInt(load.run({ customer, rows: json, first }).changes);
    } catch (error) {
      throw unusableRow(error, query) ?? error;
    }
  };
}

export function refuseBadDates(dates: readonly string[]): void {
  const bad = dates.find((date) => parseCivilDate(date) === undefined);
  if (bad !== undefined) throw badDate(bad);
}

function refuseBooleans(connection: Database.Database, statement: string, rows: Uint8Array): void {
  if (prepared(connection, statement, 'values').get({ rows }) === 0n) return;
  throw misplacedBoolean();
}

/** Returns undefined if the error has another cause, for example a full disk. */
function unusableRow(error: unknown, query: QueryFile): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const code = codeOf(error);
  if (!/^SQLITE_(ERROR|CONSTRAINT\w*|MISMATCH)$/.test(code)) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  const lacking = /NOT NULL constraint failed: [^.]+\.(\S+)/.exec(message)?.[1];
  const field = query.columns.find(({ name }) => name === lacking)?.field;
  const words = lacking === undefined ? message : field ? `it has no ${field}` : 'it is not an object';
  return unusable(words, error);
}

/** SQLite parses the JSON, so that int64 stays exact. In replaced rows, `former` columns become NULL. */
function loadStatement(query: QueryFile, former: readonly string[]): string {
  const names = [CUSTOMER_COLUMN, ...query.columns.map(({ name }) => identifier(name)), ROW_COLUMN];
  const values = query.columns.map((column) => storedValue(column, query.key.includes(column.name)));
  // `AS stored` and `temp.` avoid conflicts with names of tables. Without LIMIT, SQLite would copy the JSON row once
  // per column.
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
  // The service may omit a metric that is zero. An omitted attribute is unknown.
  const absent = column.role === 'metric' ? '0' : isKey ? absentKeyValue(column) : undefined;
  return absent === undefined ? value : `coalesce(${value}, ${absent})`;
}

const pathOf = ({ path }: Column): string => `$.${path.join('.')}`;

/** In columns of other types, SQLite would store true and false as 1 and 0. */
function misplacedBooleansStatement({ columns }: QueryFile): string | undefined {
  const others = columns.filter(({ type }) => type !== 'BOOLEAN' && type !== 'MESSAGE');
  if (others.length === 0) return undefined;
  const tests = others.map((column) => `json_type(value, '${pathOf(column)}') IN ('true', 'false')`);
  return `SELECT count(*) FROM temp.jsonb_each(CAST(@rows AS TEXT)) WHERE ${tests.join(' OR ')}`;
}
