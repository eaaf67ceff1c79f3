import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import type { Column } from '../../gaql/check/column.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import type { StateDb } from '../../store/sqlite/open-state.ts';
import { type Connected, prepared } from '../../store/sqlite/prepared.ts';
import { absentKeyValue, CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier, ROW_COLUMN } from '../query-table.ts';
import { type DayTotals, totalsByDay } from './aggregate.ts';
import { formerColumns } from './query-tables.ts';

/** What a load is about. `days` is undefined for a query without days: its slice is all of the account's rows. */
export interface LoadTarget {
  readonly query: QueryFile;
  readonly customerId: CustomerId;
  readonly days: DateRange | undefined;
}

export interface LoadResult {
  /** As the stream brought them. */
  readonly rows: bigint;
  /** Of the days that have rows; empty for a table without days. */
  readonly days: readonly DayTotals[];
  /** Days that came without being asked for, and now hold what came. */
  readonly strayDays: readonly CivilDate[];
}

/** The status of a load that has to be done again, with the pieces of the load before forgotten. */
export const ROWS_CAME_TWICE = 'ROWS_CAME_TWICE';

/** A part of the stream: a JSON array of whole rows. */
export interface JsonRows {
  readonly json: Uint8Array;
  /** Whether a row says `true` or `false` anywhere. */
  readonly booleans: boolean;
}

export interface SliceLoad {
  /** Answers with the rows in it. */
  add(piece: JsonRows): bigint;
  /** To be called after a clean end, before the transaction commits. */
  finish(): LoadResult;
}

/**
 * Replaces a slice's rows by those of the pieces added, inside the caller's transaction. Throws `ApiError` for rows that
 * cannot be what the query asked for; the caller then rolls back.
 *
 * Every row of a load gets a number that no row had before, so that afterwards the rows with older numbers are those
 * that did not come again. A piece that comes byte for byte as in the newest load of the query and account is not loaded
 * again: the rows with its numbers are what it says. That holds only where no row came twice, since a row can have
 * but one number: the pieces of such a load are not remembered, and a load that took a row from a piece before that piece
 * came again fails with the status {@link ROWS_CAME_TWICE}.
 */
export function beginLoad({ connection }: Connected, target: LoadTarget): SliceLoad {
  const { query, customerId, days } = target;
  const sql = loadStatement(query, formerColumns({ connection }, query));
  const load = prepared(connection, sql);
  const misplaced = misplacedBooleansStatement(query);
  const keyed = query.key.length > 0;
  const earlier = keyed ? keptPieces(connection, query.name, customerId) : new Map<string, LoadedPiece>();
  const kept: LoadedPiece[] = [];
  /** Those of them that came after a new piece, which may have had one of their rows. */
  const keptLate: LoadedPiece[] = [];
  const fresh: LoadedPiece[] = [];
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
    add(piece) {
      const digest = keyed ? createHash('sha256').update(sql).update(piece.json).digest() : undefined;
      const same = digest && earlier.get(digest.toString('hex'));
      if (same) {
        earlier.delete(digest.toString('hex'));
        kept.push(same);
        if (fresh.length > 0) keptLate.push(same);
        return same.rows;
      }
      try {
        const rows = addRows(piece);
        // A piece without rows has no number to be known by.
        if (digest && rows > 0n) fresh.push({ digest, firstRow: next, rows });
        next += rows;
        return rows;
      } catch (error) {
        throw unusableRow(error, query) ?? error;
      }
    },
    finish() {
      // Where there was nothing before there is nothing to take away, and every day that has rows now is new.
      if (!wasEmpty) {
        nameKept(connection, kept);
        const noted = hasDays(query) ? { ...about, first } : about;
        prepared(connection, statements.noteChanges).run({ ...noted, query: query.name });
        prepared(connection, statements.removeStale).run({ ...about, first });
      }
      const totals = days && hasDays(query) ? totalsByDay(connection, query, customerId, days) : [];
      refuseBadDates(totals.map(({ date }) => date));
      if (wasEmpty) noteDays(connection, target, hasDays(query) ? totals.map(({ date }) => date) : ['']);
      const rows = kept.reduce((sum, piece) => sum + piece.rows, next - first);
      const held = hasDays(query)
        ? totals.reduce((sum, day) => sum + day.rows, 0n)
        : (prepared(connection, statements.countRows, 'values').get(about) as bigint);
      if (held !== rows) refuseTakenRows(connection, target, keptLate, first);
      nameKept(connection, kept);
      const strayDays = held === rows ? [] : replaceStrayDays(connection, target, first);
      rememberPieces(connection, query.name, customerId, held === rows ? [...kept, ...fresh] : [], next);
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

/** The rows of these pieces must still have their numbers: others would be from earlier in the stream, and outdated. */
function refuseTakenRows(
  connection: Database.Database,
  { query, customerId }: LoadTarget,
  pieces: readonly LoadedPiece[],
  first: bigint,
): void {
  nameKept(connection, pieces);
  const statement = prepared(connection, sliceStatements(query).countKept, 'values');
  if (statement.get({ customer: customerId, first }) === pieces.reduce((sum, { rows }) => sum + rows, 0n)) return;
  throw new ApiError('A row came twice in the stream, so that all of it has to be read again.', {
    status: ROWS_CAME_TWICE,
    outcome: 'unknown',
    transient: true,
  });
}

/** A day that was not asked for, because the service's calendar differs from ours, is replaced too and never doubled. */
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

/** They are published again. */
function noteDays(connection: Database.Database, { query, customerId }: LoadTarget, dates: readonly string[]): void {
  const note = prepared(connection, `${NOTE} VALUES (@query, @customer, @date)`);
  for (const date of dates) note.run({ query: query.name, customer: customerId, date });
}

function refuseBadDates(dates: readonly string[]): void {
  const bad = dates.find((date) => parseCivilDate(date) === undefined);
  if (bad !== undefined) throw unusable(`its date is ${JSON.stringify(bad)}, expected YYYY-MM-DD`);
}

function refuseBooleans(connection: Database.Database, statement: string, rows: Uint8Array): void {
  if (prepared(connection, statement, 'values').get({ rows }) === 0n) return;
  throw unusable('it says true or false where the query expects another type');
}

function unusable(words: string, cause?: unknown): ApiError {
  return new ApiError(`A row of the stream cannot be stored: ${words}.`, {
    status: 'MALFORMED',
    outcome: 'unknown',
    transient: false,
    cause,
  });
}

/** SQLite's refusal of a row as the service's failure that it is; undefined for a failure of ours, such as a full disk. */
function unusableRow(error: unknown, query: QueryFile): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string' || !/^SQLITE_(ERROR|CONSTRAINT\w*|MISMATCH)$/.test(code)) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  const lacking = /NOT NULL constraint failed: [^.]+\.(\S+)/.exec(message)?.[1];
  const field = query.columns.find(({ name }) => name === lacking)?.field;
  const words = lacking === undefined ? message : field ? `it has no ${field}` : 'it is not an object';
  return unusable(words, error);
}

const MARK = Buffer.from('\\u');
const REPLACEMENT = '\\ufffd';

/**
 * The JSON text with every escape that names no character replaced by U+FFFD: half of a surrogate pair, which is no
 * Unicode text and makes other programs refuse the whole file, and NUL, at which most of them cut a text off.
 */
export function mendEscapes(json: Uint8Array): Uint8Array {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  if (!bytes.includes(MARK)) return json;
  // Bytes as characters, one for one: an escape is ASCII, whatever stands around it.
  const text = bytes.toString('latin1');
  const mended = text.replace(
    /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|u0000|[\s\S])/g,
    // A pair is twelve characters long, any other escape is taken two by two.
    (found) => (found.length === 6 ? REPLACEMENT : found),
  );
  return mended === text ? json : Buffer.from(mended, 'latin1');
}

/**
 * The statement that loads a piece of the stream, the JSON array of some rows, into the query's table. SQLite parses the
 * text and casts each value by its column, which keeps int64 exact. A row that is no object gets no account and so fails
 * the table's NOT NULL, as one without its key does. A row that is there already is replaced, its number too, and so that
 * nothing of it is older than the rest, what it has in columns that only earlier queries filled (`former`) is taken away.
 * The table has another name here, because a table called `excluded` would stand for the new row; a function that is asked for in
 * `temp` is SQLite's own, whatever a query's table is called.
 * Parameters: rows, customer, first (the number of the piece's first row).
 */
function loadStatement(query: QueryFile, former: readonly string[]): string {
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
function misplacedBooleansStatement({ columns }: QueryFile): string | undefined {
  const others = columns.filter(({ type }) => type !== 'BOOLEAN' && type !== 'MESSAGE');
  if (others.length === 0) return undefined;
  const tests = others.map((column) => `json_type(value, '${pathOf(column)}') IN ('true', 'false')`);
  return `SELECT count(*) FROM temp.jsonb_each(CAST(@rows AS TEXT)) WHERE ${tests.join(' OR ')}`;
}

/** Rows from before this load, but those of pieces that came again as they were: temp.kept names the numbers of these. */
const STALE = `(${ROW_COLUMN} < @first AND ${ROW_COLUMN} >
  coalesce((SELECT last_row FROM temp.kept WHERE first_row <= ${ROW_COLUMN} ORDER BY first_row DESC LIMIT 1), -1))`;

/** To be run once per connection, before the others. */
const KEPT_TABLE = 'CREATE TEMP TABLE IF NOT EXISTS kept (first_row INTEGER PRIMARY KEY, last_row INTEGER NOT NULL)';

/** Notes that a day has to be published again. */
const NOTE = 'INSERT OR REPLACE INTO unpublished_day (query, customer_id, date)';

/** What is done to a slice: the account's rows, of the days from @from to @to where the table has days. */
function sliceStatements(query: QueryFile) {
  const dated = hasDays(query);
  const table = `main.${identifier(query.name)}`;
  const ofAccount = `FROM ${table} WHERE ${CUSTOMER_COLUMN} = @customer`;
  const ofSlice = dated ? `${ofAccount} AND ${DATE_COLUMN} BETWEEN @from AND @to` : ofAccount;
  return {
    anyRow: `SELECT 1 ${ofSlice} LIMIT 1`,
    countRows: `SELECT count(*) ${ofSlice}`,
    /** The account's rows that temp.kept names. */
    countKept: `SELECT count(*) ${ofAccount} AND ${ROW_COLUMN} < @first AND NOT ${STALE}`,
    /**
     * The days with rows that came newly or are about to be taken away are published again. A table without days is, whenever it
     * is read: its rows say when that was.
     */
    noteChanges: dated
      ? `${NOTE} SELECT DISTINCT @query, @customer, ${DATE_COLUMN} ${ofSlice} AND (${ROW_COLUMN} >= @first OR ${STALE})`
      : `${NOTE} VALUES (@query, @customer, '')`,
    removeStale: `DELETE ${ofSlice} AND ${STALE}`,
    /** Days that were delivered without being asked for: the service's calendar may differ from ours. */
    strayDays: `SELECT DISTINCT ${DATE_COLUMN} ${ofAccount} AND ${DATE_COLUMN} NOT BETWEEN @from AND @to AND NOT ${STALE}`,
    /** Such a day's earlier rows, so that it is not there twice. */
    removeStrayDay: `DELETE ${ofAccount} AND ${DATE_COLUMN} = @date AND ${STALE}`,
  };
}

/** A piece of a stream as it lies in a query's table: the rows with these numbers are what its bytes say. */
interface LoadedPiece {
  readonly digest: Uint8Array;
  readonly firstRow: bigint;
  readonly rows: bigint;
}

/** The pieces of the newest load of the query and account, by their digest in hexadecimal. */
function keptPieces(connection: Database.Database, query: string, customer: CustomerId): Map<string, LoadedPiece> {
  const select = 'SELECT digest, first_row, rows FROM loaded_piece WHERE query = ? AND customer_id = ?';
  const rows = prepared(connection, select, 'columns').all(query, customer) as [Buffer, bigint, bigint][];
  return new Map(rows.map(([digest, firstRow, count]) => [digest.toString('hex'), { digest, firstRow, rows: count }]));
}

/** The number of the next row of a query's table. */
function nextRow(connection: Database.Database, query: string): bigint {
  return prepared(connection, 'SELECT next_row FROM query_table WHERE name = ?', 'values').get(query) as bigint;
}

/** Forgets the pieces of the load before, keeps these, and takes the row numbers below `next` as given. */
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

/** Lets the next load of the query and account be done whole. */
export async function forgetPieces(db: StateDb, query: string, customer: CustomerId): Promise<void> {
  await db.deleteFrom('loadedPiece').where('query', '=', query).where('customerId', '=', customer).execute();
}
