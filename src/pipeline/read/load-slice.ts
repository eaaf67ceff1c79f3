import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { RowsPiece } from '../../apis/ads/search-stream.ts';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { malformed } from '../../http/classify-failure.ts';
import { keptPieces, type LoadedPiece, nextRow, rememberPieces } from '../../store/runs/loaded-piece-table.ts';
import { prepared } from '../../store/sqlite/prepared.ts';
import { type DayTotals, totalsByDay } from '../../warehouse/aggregate.ts';
import {
  anyRowStatement,
  countKeptStatement,
  countStatement,
  KEPT_TABLE,
  loadStatement,
  misplacedBooleansStatement,
  NOTE_DAY,
  noteChangesStatement,
  removeStaleStatement,
  removeStrayDayStatement,
  strayDaysStatement,
} from '../../warehouse/load-statements.ts';
import { formerColumns, hasDays } from '../../warehouse/query-table.ts';

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

export interface SliceLoad {
  /** Answers with the rows in it. */
  add(piece: RowsPiece): bigint;
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
export function beginLoad(connection: Database.Database, target: LoadTarget): SliceLoad {
  const { query, customerId, days } = target;
  const sql = loadStatement(query, formerColumns(connection, query));
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
  const wasEmpty = prepared(connection, anyRowStatement(query), 'values').get(about) === undefined;
  let next = first;

  const addRows = (piece: RowsPiece): bigint => {
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
        prepared(connection, noteChangesStatement(query)).run({ ...noted, query: query.name });
        prepared(connection, removeStaleStatement(query)).run({ ...about, first });
      }
      const totals = days && hasDays(query) ? totalsByDay(connection, query, customerId, days) : [];
      refuseBadDates(totals.map(({ date }) => date));
      if (wasEmpty) noteDays(connection, target, hasDays(query) ? totals.map(({ date }) => date) : ['']);
      const rows = kept.reduce((sum, piece) => sum + piece.rows, next - first);
      const held = hasDays(query)
        ? totals.reduce((sum, day) => sum + day.rows, 0n)
        : (prepared(connection, countStatement(query), 'values').get(about) as bigint);
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
  const statement = prepared(connection, countKeptStatement(query), 'values');
  if (statement.get({ customer: customerId, first }) === pieces.reduce((sum, { rows }) => sum + rows, 0n)) return;
  throw malformed(ROWS_CAME_TWICE, 'A row came twice in the stream, so that all of it has to be read again', true);
}

/** A day that was not asked for, because the service's calendar differs from ours, is replaced too and never doubled. */
function replaceStrayDays(
  connection: Database.Database,
  { query, customerId, days }: LoadTarget,
  first: bigint,
): CivilDate[] {
  if (days === undefined || !hasDays(query)) return [];
  const about = { customer: customerId, first, ...days };
  const strayDays = prepared(connection, strayDaysStatement(query), 'values').all(about) as CivilDate[];
  refuseBadDates(strayDays);
  const remove = prepared(connection, removeStrayDayStatement(query));
  noteDays(connection, { query, customerId, days }, strayDays);
  for (const date of strayDays) remove.run({ customer: customerId, date, first });
  return strayDays;
}

/** They are published again. */
function noteDays(connection: Database.Database, { query, customerId }: LoadTarget, dates: readonly string[]): void {
  const note = prepared(connection, NOTE_DAY);
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
  return malformed('MALFORMED', `A row of the stream cannot be stored: ${words}`, false, cause);
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
