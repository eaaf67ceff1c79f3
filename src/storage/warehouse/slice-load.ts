import { createHash } from 'node:crypto';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import { besideLoads } from '../records/in-transaction.ts';
import type { StateDb } from '../records/record-store.ts';
import { CUSTOMER_COLUMN } from './query-table.ts';
import type { DayTotals } from './totals.ts';

/** If `days` is undefined, the slice contains all rows of the account. */
export interface LoadTarget {
  readonly query: QueryFile;
  readonly customerId: CustomerId;
  readonly days: DateRange | undefined;
}

export interface LoadResult {
  readonly rows: bigint;
  /** Totals of days that have rows. */
  readonly days: readonly DayTotals[];
}

export interface JsonRows {
  readonly json: Uint8Array;
  readonly booleans: boolean;
}

export interface LoadedPiece {
  readonly digest: Uint8Array;
  readonly firstRow: bigint;
  readonly rows: bigint;
}

/**
 * The digest covers all that decides what is stored. It is the same on both engines, because records move between them.
 * `former` are the columns that the query no longer fills.
 */
export function digestOfPieces({ columns, key }: QueryFile, former: readonly string[]): (json: Uint8Array) => Buffer {
  const stored = columns.map(({ name, type, role, path }) => [name, type, role, path]);
  const recipe = JSON.stringify([stored, key, former]);
  return (json) => createHash('sha256').update(recipe).update(json).digest();
}

/** The chunks of a load, compared with those of the last one. */
export class Pieces {
  readonly kept: LoadedPiece[] = [];
  readonly fresh: LoadedPiece[] = [];
  readonly #earlier: Map<string, LoadedPiece>;

  constructor(earlier: readonly LoadedPiece[]) {
    this.#earlier = new Map(earlier.map((piece) => [hexOf(piece.digest), piece]));
  }

  /** Returns the chunk of the last load, once. */
  keep(digest: Uint8Array | undefined): LoadedPiece | undefined {
    const same = digest && this.#earlier.get(hexOf(digest));
    if (digest === undefined || same === undefined) return undefined;
    this.#earlier.delete(hexOf(digest));
    this.kept.push(same);
    return same;
  }

  add(digest: Uint8Array | undefined, firstRow: bigint, rows: bigint): void {
    if (digest && rows > 0n) this.fresh.push({ digest, firstRow, rows });
  }

  get keptRows(): bigint {
    return this.kept.reduce((sum, { rows }) => sum + rows, 0n);
  }
}

const hexOf = (digest: Uint8Array): string => Buffer.from(digest).toString('hex');

/**
 * Replaces a slice without deleting it first, because most rows are the same every day. Each row has a number, and a
 * new load begins above all earlier numbers of its account. A chunk with the digest of an earlier chunk is not stored
 * again, and its old rows are kept. At the end, rows of earlier loads that are not kept are outdated, and are deleted.
 * Only then the rows are counted, because the table must hold as many as came. If it holds fewer, rows with the same
 * key replaced each other. Or a row has a day that the query did not ask for. Both engines do this with other
 * statements. After an `ApiError`, the caller must roll back.
 */
export interface SliceLoad {
  add(piece: JsonRows): Promise<bigint>;
  /** Call this after the stream has ended without an error, and before the transaction commits. */
  finish(): Promise<LoadResult>;
}

/** Rows with the same key replace each other, so the table holds fewer rows than came. The caller must roll back. */
export function unseparatedRows({ key, columns }: QueryFile, came: bigint, held: bigint): ApiError {
  const parts = key.filter((name) => name !== CUSTOMER_COLUMN);
  const fields = parts.map((name) => columns.find((column) => column.name === name)?.field ?? name);
  const words = `${came - held} of ${came} rows have the same ${fields.join(', ') || 'account'} as another row`;
  return notStored('SAME_KEY', `${words}. Add a field to SELECT that tells these rows apart`);
}

/** A cache may have answered another request, so the same request may succeed. */
export function unaskedDay(found: CivilDate, { from, to }: DateRange): ApiError {
  const days = from === to ? from : `${from} to ${to}`;
  return notStored('WRONG_ANSWER', `A row has the day ${found}, but the query asks for ${days}`, true);
}

function notStored(status: string, words: string, transient = false): ApiError {
  return new ApiError(`The answer was not stored: ${words}.`, { status, outcome: 'unknown', transient });
}

/** `words` is a clause about the row. */
export function unusable(words: string, cause?: unknown): ApiError {
  return new ApiError(`A row of the stream cannot be stored: ${words}.`, {
    status: 'MALFORMED',
    outcome: 'unknown',
    transient: false,
    cause,
  });
}

export function badDate(date: unknown): ApiError {
  return unusable(`its date is ${JSON.stringify(date)}, expected YYYY-MM-DD`);
}

export function misplacedBoolean(): ApiError {
  return unusable('it has true or false, but the query expects another type');
}

const MARK = Buffer.from('\\u');
const REPLACEMENT = '\\ufffd';

/** Replaces unpaired surrogates and NUL by U+FFFD, because other programs cannot read such text. */
export function mendEscapes(json: Uint8Array): Uint8Array {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  if (!bytes.includes(MARK)) return json;
  // Latin-1 maps each byte to one character and back, so no byte changes.
  const text = bytes.toString('latin1');
  const mended = text.replace(
    /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|u0000|[\s\S])/g,
    // Only escapes of an unpaired surrogate or of NUL have six characters here.
    (found) => (found.length === 6 ? REPLACEMENT : found),
  );
  return mended === text ? json : Buffer.from(mended, 'latin1');
}

export async function forgetPieces(db: StateDb, query: string, customer: CustomerId): Promise<void> {
  await besideLoads(db, (trx) =>
    trx.deleteFrom('loadedPiece').where('query', '=', query).where('customerId', '=', customer).execute(),
  );
}
