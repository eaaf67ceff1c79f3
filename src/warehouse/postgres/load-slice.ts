import { chunksOf, ROWS_PER_STATEMENT } from '../../domain/chunks.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import { ApiError } from '../../domain/errors.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { largerOf } from '../../store/expressions.ts';
import { besideLoads } from '../../store/in-transaction.ts';
import { copyInto } from '../../store/postgres/copy-into.ts';
import { ACCOUNT_SPACE } from '../../store/postgres/postgres-driver.ts';
import type { StateDb } from '../../store/record-store.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier, ROW_COLUMN } from '../query-table.ts';
import {
  digestOfPieces,
  type LoadedPiece,
  type LoadTarget,
  Pieces,
  rowsCameTwice,
  type SliceLoad,
  unusable,
} from '../slice-load.ts';
import { type CopyLines, copyReader } from '../sqlite/copy-lines.ts';
import { ask, run } from './ask.ts';
import { ensureMonths, heldColumns, keyColumns, tableOf } from './query-tables.ts';
import { totalsByDay } from './totals.ts';

const STAGE = 'pg_temp.stage';

/** So that a month of a large account is sorted without a file. */
const SORT_MEMORY = '64MB';

/** Loads of different accounts go on at the same time. Without a key, rows of all accounts are numbered together. */
export function loading<Result>(
  db: StateDb,
  { key }: QueryFile,
  work: (trx: StateDb) => Promise<Result>,
): Promise<Result> {
  const load = async (trx: StateDb) => {
    // A power failure may undo the last loads, which the next run repeats.
    await run(trx, 'SET LOCAL synchronous_commit = off');
    return work(trx);
  };
  return key.length > 0 ? besideLoads(db, load) : db.transaction().execute(load);
}

/**
 * COPY puts rows of an empty slice into the table itself, and other rows into a staging table. At the end, one statement
 * removes outdated rows, and one adds those of the staging table.
 */
export async function beginLoad(trx: StateDb, target: LoadTarget): Promise<SliceLoad> {
  const { query, customerId } = target;
  await run(trx, `SELECT pg_advisory_xact_lock(${ACCOUNT_SPACE}, hashint8($1))`, [customerId]);
  const names = [CUSTOMER_COLUMN, ...query.columns.map(({ name }) => identifier(name)), ROW_COLUMN];
  const held = await heldColumns(trx, query.name);
  const filled = new Set([CUSTOMER_COLUMN, ROW_COLUMN, ...query.columns.map(({ name }) => name)]);
  const former = held.filter((column) => !filled.has(column));
  const lines = copyReader(query);
  const digestOf = digestOfPieces(query, former);
  const keyed = query.key.length > 0;
  const pieces = new Pieces(keyed ? await piecesOf(trx, target) : []);
  const months = new Set<string>();
  const first = await nextRow(trx, query);
  const { from, own } = sliceOf(target, first, []);
  const wasEmpty = (await ask(trx, `SELECT 1 AS found ${from} LIMIT 1`, own)).length === 0;
  /** Without a key, no rows can conflict. */
  const isFree = wasEmpty || !keyed;
  let isStaged = false;
  let next = first;
  /** The last chunk: while the server stores it, the next one is parsed. */
  let storing: Promise<void> = Promise.resolve();

  const store = async ({ copy, days }: CopyLines, sent: () => void) => {
    const fresh = [...new Set(days.map((day) => day.slice(0, 7)))].filter((month) => !months.has(month));
    if (fresh.length > 0) await ensureMonths(trx, query.name, fresh);
    for (const month of fresh) months.add(month);
    const columns = `(${names.join(', ')}) FROM STDIN`;
    if (isFree && !isStaged && (await isCopied(trx, `COPY ${tableOf(query.name)} ${columns}`, copy, sent))) return;
    if (!isStaged)
      await run(
        trx,
        `CREATE TEMP TABLE stage (LIKE ${tableOf(query.name)}) ON COMMIT DROP;
      SET LOCAL work_mem = '${SORT_MEMORY}'`,
      );
    isStaged = true;
    await copyInto(trx, `COPY ${STAGE} ${columns}`, copy, sent);
  };
  return {
    async add(piece) {
      const digest = keyed ? digestOf(piece.json) : undefined;
      const same = pieces.keep(digest);
      if (same) return same.rows;
      const read = lines.read(piece, customerId, next);
      pieces.add(digest, next, read.rows);
      next += read.rows;
      await storing;
      // Until the rows are sent, parsing the next chunk would hold them up.
      await new Promise<void>((sent) => {
        storing = store(read, sent);
        // Its error is thrown by the next call.
        storing.then(sent, sent);
      });
      return read.rows;
    },
    async finish() {
      await storing;
      lines.close();
      const slice = sliceOf(target, first, pieces.kept);
      if (!wasEmpty) await run(trx, `DELETE ${slice.from} AND ${slice.stale}`, slice.values);
      if (isStaged) await addStaged(trx, query, names, former);
      const totals = target.days && hasDays(query) ? await totalsByDay(trx, query, customerId, target.days) : [];
      const rows = pieces.keptRows + next - first;
      const found = hasDays(query)
        ? totals.reduce((sum, day) => sum + day.rows, 0n)
        : ((await ask<[bigint]>(trx, `SELECT count(*) ${slice.from}`, slice.own))[0]?.[0] ?? 0n);
      if (found !== rows) await refuseTakenRows(trx, target, pieces.keptLate, first);
      const strayDays = found === rows ? [] : await replaceStrayDays(trx, target, first, pieces.kept);
      await rememberPieces(trx, target, found === rows ? [...pieces.kept, ...pieces.fresh] : [], next);
      return { rows, days: totals, strayDays };
    },
  };
}

/** False, with nothing copied, if the key of a row came before. */
async function isCopied(trx: StateDb, statement: string, rows: Buffer, sent: () => void): Promise<boolean> {
  await run(trx, 'SAVEPOINT chunk');
  try {
    await copyInto(trx, statement, rows, sent);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    await run(trx, 'ROLLBACK TO SAVEPOINT chunk');
    return false;
  }
  await run(trx, 'RELEASE SAVEPOINT chunk');
  return true;
}

const UNIQUE_VIOLATION = '23505';

/** If the same key came twice, the later row counts. */
async function addStaged(
  trx: StateDb,
  { name, key, columns }: QueryFile,
  names: readonly string[],
  former: readonly string[],
): Promise<void> {
  const into = `INSERT INTO ${tableOf(name)} (${names.join(', ')})`;
  try {
    const keys = keyColumns(key).join(', ');
    const others = [
      ...columns.flatMap((column) => (key.includes(column.name) ? [] : identifier(column.name))),
      ROW_COLUMN,
    ];
    const set = [
      ...others.map((column) => `${column} = excluded.${column}`),
      ...former.map((column) => `${identifier(column)} = NULL`),
    ];
    await run(
      trx,
      `${into} SELECT DISTINCT ON (${keys}) ${names.join(', ')} FROM ${STAGE} ORDER BY ${keys}, ${ROW_COLUMN} DESC
      ON CONFLICT (${keys}) DO UPDATE SET ${set.join(', ')}`,
    );
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message?: string };
    if (error instanceof ApiError || code === undefined || !/^2[23]/.test(code)) throw error;
    throw unusable(message ?? code, error);
  }
}

/** SQL of the slice. A row is stale if it belongs to an earlier load, and to no unchanged chunk. */
function sliceOf({ query, customerId, days }: LoadTarget, first: bigint, kept: readonly LoadedPiece[]) {
  const dated = hasDays(query) && days !== undefined;
  const own = [customerId, ...(dated ? [days.from, days.to] : [])];
  return {
    own,
    values: [...own, first, rangesOf(kept)],
    from: `FROM ${tableOf(query.name)} WHERE ${CUSTOMER_COLUMN} = $1${dated ? ` AND ${DATE_COLUMN} BETWEEN $2 AND $3` : ''}`,
    stale: staleFrom(own.length + 1),
  };
}

const staleFrom = (at: number) => `(${ROW_COLUMN} < $${at} AND NOT ${ROW_COLUMN} <@ $${at + 1}::int8multirange)`;

function rangesOf(pieces: readonly LoadedPiece[]): string {
  return `{${pieces.map(({ firstRow, rows }) => `[${firstRow},${firstRow + rows - 1n}]`).join(',')}}`;
}

/** Throws `ApiError` if a new chunk replaced a row of an unchanged chunk. */
async function refuseTakenRows(
  trx: StateDb,
  { query, customerId }: LoadTarget,
  pieces: readonly LoadedPiece[],
  first: bigint,
): Promise<void> {
  const [row] = await ask<[bigint]>(
    trx,
    `SELECT count(*) FROM ${tableOf(query.name)} WHERE ${CUSTOMER_COLUMN} = $1 AND ${ROW_COLUMN} < $2
      AND ${ROW_COLUMN} <@ $3::int8multirange`,
    [customerId, first, rangesOf(pieces)],
  );
  if (row?.[0] !== pieces.reduce((sum, { rows }) => sum + rows, 0n)) throw rowsCameTwice();
}

/** If the service's calendar differs from ours, the stream can contain days that were not requested. */
async function replaceStrayDays(
  trx: StateDb,
  { query, customerId, days }: LoadTarget,
  first: bigint,
  kept: readonly LoadedPiece[],
): Promise<CivilDate[]> {
  if (days === undefined || !hasDays(query)) return [];
  const table = tableOf(query.name);
  const stray = await ask<[CivilDate]>(
    trx,
    `SELECT DISTINCT ${DATE_COLUMN} FROM ${table} WHERE ${CUSTOMER_COLUMN} = $1
      AND ${DATE_COLUMN} NOT BETWEEN $2 AND $3 AND NOT ${staleFrom(4)} ORDER BY 1`,
    [customerId, days.from, days.to, first, rangesOf(kept)],
  );
  const dates = stray.map(([date]) => date);
  for (const date of dates) {
    const where = `${CUSTOMER_COLUMN} = $1 AND ${DATE_COLUMN} = $2 AND ${staleFrom(3)}`;
    await run(trx, `DELETE FROM ${table} WHERE ${where}`, [customerId, date, first, rangesOf(kept)]);
  }
  return dates;
}

async function piecesOf(trx: StateDb, { query, customerId }: LoadTarget): Promise<LoadedPiece[]> {
  return trx
    .selectFrom('loadedPiece')
    .select(['digest', 'firstRow', 'rows'])
    .where('query', '=', query.name)
    .where('customerId', '=', customerId)
    .execute();
}

async function nextRow(trx: StateDb, { name }: QueryFile): Promise<bigint> {
  const table = trx.selectFrom('queryTable').select('nextRow').where('name', '=', name);
  return (await table.executeTakeFirstOrThrow()).nextRow;
}

async function rememberPieces(
  trx: StateDb,
  { query: { name: query }, customerId }: LoadTarget,
  pieces: readonly LoadedPiece[],
  next: bigint,
): Promise<void> {
  await trx.deleteFrom('loadedPiece').where('query', '=', query).where('customerId', '=', customerId).execute();
  const rows = [...new Map(pieces.map((piece) => [Buffer.from(piece.digest).toString('hex'), piece])).values()];
  for (const some of chunksOf(rows, ROWS_PER_STATEMENT)) {
    await trx
      .insertInto('loadedPiece')
      .values(some.map((piece) => ({ query, customerId, ...piece })))
      .execute();
  }
  // Another account may have come further meanwhile.
  await trx
    .updateTable('queryTable')
    .set(({ ref, val }) => ({ nextRow: largerOf(ref('nextRow'), val(next)) }))
    .where('name', '=', query)
    .execute();
}
