import type Database from 'better-sqlite3';
import type { CivilDate } from '../../domain/civil-date.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import type { Column } from '../../gaql/check/column.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { type Connected, prepared } from '../../store/sqlite/prepared.ts';
import { codeOf } from '../../store/sqlite/unusable-database.ts';
import { absentKeyValue, CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier, ROW_COLUMN } from '../query-table.ts';
import {
  badDate,
  digestOfPieces,
  type JsonRows,
  type LoadedPiece,
  type LoadTarget,
  mendEscapes,
  misplacedBoolean,
  Pieces,
  rowsCameTwice,
  type SliceLoad,
  unusable,
} from '../slice-load.ts';
import { totalsByDay } from './aggregate.ts';
import { formerColumns } from './query-tables.ts';

/** If a chunk equals a chunk of the last load, the stored rows stay. After an `ApiError`, the caller must roll back. */
export function beginLoad({ connection }: Connected, target: LoadTarget): SliceLoad {
  const { query, customerId, days } = target;
  const former = formerColumns({ connection }, query);
  const load = prepared(connection, loadStatement(query, former));
  const digestOf = digestOfPieces(query, former);
  const misplaced = misplacedBooleansStatement(query);
  const keyed = query.key.length > 0;
  const pieces = new Pieces(keyed ? loadedPieces(connection, query.name, customerId) : []);
  const first = nextRow(connection, query.name);
  const about = { customer: customerId, ...(hasDays(query) ? days : {}) };
  const statements = sliceStatements(query);
  const wasEmpty = prepared(connection, statements.anyRow, 'values').get(about) === undefined;
  let next = first;

  const addRows = (piece: JsonRows): bigint => {
    const json = mendEscapes(piece.json);
    if (piece.booleans && misplaced !== undefined) refuseBooleans(connection, misplaced, json);
    return BigInt(load.run({ customer: customerId, rows: json, first: next }).changes);
  };
  return {
    async add(piece) {
      const digest = keyed ? digestOf(piece.json) : undefined;
      const same = pieces.keep(digest);
      if (same) return same.rows;
      try {
        const rows = addRows(piece);
        pieces.add(digest, next, rows);
        next += rows;
        return rows;
      } catch (error) {
        throw unusableRow(error, query) ?? error;
      }
    },
    async finish() {
      // A slice that was empty has no outdated rows to remove.
      if (!wasEmpty) {
        nameKept(connection, pieces.kept);
        const noted = hasDays(query) ? { ...about, first } : about;
        prepared(connection, statements.noteChanges).run({ ...noted, query: query.name });
        prepared(connection, statements.removeStale).run({ ...about, first });
      }
      const totals = days && hasDays(query) ? totalsByDay(connection, query, customerId, days) : [];
      refuseBadDates(totals.map(({ date }) => date));
      if (wasEmpty) noteDays(connection, target, hasDays(query) ? totals.map(({ date }) => date) : ['']);
      const rows = pieces.keptRows + next - first;
      const held = hasDays(query)
        ? totals.reduce((sum, day) => sum + day.rows, 0n)
        : (prepared(connection, statements.countRows, 'values').get(about) as bigint);
      if (held !== rows) refuseTakenRows(connection, target, pieces.keptLate, first);
      nameKept(connection, pieces.kept);
      const strayDays = held === rows ? [] : replaceStrayDays(connection, target, first);
      rememberPieces(connection, query.name, customerId, held === rows ? [...pieces.kept, ...pieces.fresh] : [], next);
      return { rows, days: totals, strayDays };
    },
  };
}

function nameKept(connection: Database.Database, kept: readonly LoadedPiece[]): void {
  connection.exec(KEPT_TABLE);
  prepared(connection, 'DELETE FROM temp.kept').run();
  const insert = prepared(connection, 'INSERT INTO temp.kept VALUES (?, ?)');
  for (const { firstRow, rows } of kept) insert.run(firstRow, firstRow + rows - 1n);
}

/** Throws `ApiError` if a new chunk replaced a row of an unchanged chunk. */
function refuseTakenRows(
  connection: Database.Database,
  { query, customerId }: LoadTarget,
  pieces: readonly LoadedPiece[],
  first: bigint,
): void {
  nameKept(connection, pieces);
  const statement = prepared(connection, sliceStatements(query).countKept, 'values');
  if (statement.get({ customer: customerId, first }) === pieces.reduce((sum, { rows }) => sum + rows, 0n)) return;
  throw rowsCameTwice();
}

/** If the service's calendar differs from ours, the stream can contain days that were not requested. */
function replaceStrayDays(
  connection: Database.Database,
  { query, customerId, days }: LoadTarget,
  first: bigint,
): CivilDate[] {
  if (days === undefined || !hasDays(query)) return [];
  const about = { customer: customerId, first, ...days };
  const statements = sliceStatements(query);
  const strayDays = prepared(connection, statements.strayDays, 'values').all(about) as CivilDate[];
  refuseBadDates(strayDays);
  const remove = prepared(connection, statements.removeStrayDay);
  noteDays(connection, { query, customerId, days }, strayDays);
  for (const date of strayDays) remove.run({ customer: customerId, date, first });
  return strayDays;
}

function noteDays(connection: Database.Database, { query, customerId }: LoadTarget, dates: readonly string[]): void {
  const note = prepared(connection, `${NOTE} VALUES (@query, @customer, @date)`);
  for (const date of dates) note.run({ query: query.name, customer: customerId, date });
}

function refuseBadDates(dates: readonly string[]): void {
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

/** SQL condition for rows of earlier loads that belong to no unchanged chunk. */
const STALE = `(${ROW_COLUMN} < @first AND ${ROW_COLUMN} >
  coalesce((SELECT last_row FROM temp.kept WHERE first_row <= ${ROW_COLUMN} ORDER BY first_row DESC LIMIT 1), -1))`;

/** Run this on each connection before statements that read the table `kept`. */
const KEPT_TABLE = 'CREATE TEMP TABLE IF NOT EXISTS kept (first_row INTEGER PRIMARY KEY, last_row INTEGER NOT NULL)';

const NOTE = 'INSERT OR REPLACE INTO unpublished_day (query, customer_id, date)';

/** If the table has days, most statements concern only the days from @from to @to. */
function sliceStatements(query: QueryFile) {
  const dated = hasDays(query);
  const table = `main.${identifier(query.name)}`;
  const ofAccount = `FROM ${table} WHERE ${CUSTOMER_COLUMN} = @customer`;
  const ofSlice = dated ? `${ofAccount} AND ${DATE_COLUMN} BETWEEN @from AND @to` : ofAccount;
  return {
    anyRow: `SELECT 1 ${ofSlice} LIMIT 1`,
    countRows: `SELECT count(*) ${ofSlice}`,
    countKept: `SELECT count(*) ${ofAccount} AND ${ROW_COLUMN} < @first AND NOT ${STALE}`,
    /** A table without days always counts as changed, because the file shows the day of its last read. */
    noteChanges: dated
      ? `${NOTE} SELECT DISTINCT @query, @customer, ${DATE_COLUMN} ${ofSlice} AND (${ROW_COLUMN} >= @first OR ${STALE})`
      : `${NOTE} VALUES (@query, @customer, '')`,
    removeStale: `DELETE ${ofSlice} AND ${STALE}`,
    strayDays: `SELECT DISTINCT ${DATE_COLUMN} ${ofAccount} AND ${DATE_COLUMN} NOT BETWEEN @from AND @to AND NOT ${STALE}`,
    removeStrayDay: `DELETE ${ofAccount} AND ${DATE_COLUMN} = @date AND ${STALE}`,
  };
}

function loadedPieces(connection: Database.Database, query: string, customer: CustomerId): LoadedPiece[] {
  const select = 'SELECT digest, first_row, rows FROM loaded_piece WHERE query = ? AND customer_id = ?';
  const rows = prepared(connection, select, 'columns').all(query, customer) as [Buffer, bigint, bigint][];
  return rows.map(([digest, firstRow, count]) => ({ digest, firstRow, rows: count }));
}

function nextRow(connection: Database.Database, query: string): bigint {
  return prepared(connection, 'SELECT next_row FROM query_table WHERE name = ?', 'values').get(query) as bigint;
}

function rememberPieces(
  connection: Database.Database,
  query: string,
  customer: CustomerId,
  pieces: readonly LoadedPiece[],
  next: bigint,
): void {
  prepared(connection, 'DELETE FROM loaded_piece WHERE query = ? AND customer_id = ?').run(query, customer);
  const insert = prepared(connection, 'INSERT OR REPLACE INTO loaded_piece VALUES (?, ?, ?, ?, ?)');
  for (const { digest, firstRow, rows } of pieces) insert.run(query, customer, digest, firstRow, rows);
  prepared(connection, 'UPDATE query_table SET next_row = ? WHERE name = ?').run(next, query);
}
