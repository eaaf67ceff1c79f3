import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import { type CivilDate, daysOf } from '../../../domain/civil-date.ts';
import { ApiError, InvariantError } from '../../../domain/errors.ts';
import type { QueryFile } from '../../../language/gaql/query-file.ts';
import { besideLoads } from '../../records/in-transaction.ts';
import { copyInto } from '../../records/postgres/copy-into.ts';
import { ACCOUNT_SPACE } from '../../records/postgres/postgres-driver.ts';
import type { StateDb } from '../../records/record-store.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier, ROW_COLUMN } from '../query-table.ts';
import {
  digestOfPieces,
  forgetPieces,
  type LoadedPiece,
  type LoadTarget,
  Pieces,
  type SliceLoad,
  unaskedDay,
  unseparatedRows,
  unusable,
} from '../slice-load.ts';
import { ask, run } from './ask.ts';
import { type CopyLines, copyReader } from './copy-lines.ts';
import { ensureMonths, keyColumns, missingMonths, tableOf } from './query-tables.ts';
import { totalsByDay } from './totals.ts';

const STAGE = 'pg_temp.stage';

/** So that a month of a large account is sorted without a file. */
const SORT_MEMORY = '64MB';

/** Loads of different accounts go on at the same time. Without a key, rows of all accounts are numbered together. */
export function loading<Result>(
  db: StateDb,
  target: LoadTarget,
  work: (trx: StateDb, load: SliceLoad) => Promise<Result>,
): Promise<Result> {
  const load = async (trx: StateDb) => {
    const begun = await beginLoad(trx, target);
    const result = await work(trx, begun);
    // Loads of other accounts wait for this row until the commit, so it comes last.
    await countRowNumbers(trx, target.query, begun.next());
    return result;
  };
  return target.query.key.length > 0 ? besideLoads(db, load) : db.transaction().execute(load);
}

/**
 * {@link SliceLoad} in PostgreSQL. Each statement costs a round trip, so rows come by COPY. COPY cannot replace a row.
 * So it fills an empty slice directly, and a staging table otherwise. At the end, one statement removes outdated rows,
 * and one adds the staged ones. Several processes load at once, so a lock keeps loads of the same account apart. Other
 * accounts may use the same row numbers at the same time. This is harmless, because numbers are compared within one
 * account.
 */
async function beginLoad(trx: StateDb, target: LoadTarget): Promise<SliceLoad & { next(): bigint }> {
  const { query, customerId } = target;
  await run(trx, `SELECT pg_advisory_xact_lock(${ACCOUNT_SPACE}, hashint8($1))`, [customerId]);
  const names = [CUSTOMER_COLUMN, ...query.columns.map(({ name }) => identifier(name)), ROW_COLUMN];
  const { former, wasEmpty, months, first, earlier } = await lookBefore(trx, target);
  const readLines = copyReader(query);
  const digestOf = digestOfPieces(query, former);
  const keyed = query.key.length > 0;
  const pieces = new Pieces(earlier);
  /** Without a key, no rows can conflict. */
  const isFree = wasEmpty || !keyed;
  let isStaged = false;
  let next = first;
  /** The last chunk: while the server stores it, the next one is parsed. */
  let storing: Promise<void> = Promise.resolve();

  const store = async ({ copy, days }: CopyLines, sent: () => void) => {
    const fresh = monthsOf(days).filter((month) => !months.has(month));
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
      const read = readLines(piece, customerId, next);
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
      const { from, own } = sliceOf(target);
      const stale = [...own, first, rangesOf(pieces.kept)];
      if (!wasEmpty) await run(trx, `DELETE ${from} AND ${staleFrom(own.length + 1)}`, stale);
      if (isStaged) await addStaged(trx, query, names, former);
      const totals = target.days && hasDays(query) ? await totalsByDay(trx, query, customerId, target.days) : [];
      const rows = pieces.keptRows + next - first;
      const found = hasDays(query)
        ? totals.reduce((sum, day) => sum + day.rows, 0n)
        : ((await ask<[bigint]>(trx, `SELECT count(*) ${from}`, own))[0]?.[0] ?? 0n);
      if (found !== rows) {
        await refuseUnaskedDays(trx, target, pieces.kept, first);
        throw unseparatedRows(query, rows, found);
      }
      if (earlier.length > 0) await forgetPieces(trx, query.name, customerId);
      await rememberPieces(trx, target, [...pieces.kept, ...pieces.fresh]);
      return { rows, days: totals };
    },
    next: () => next,
  };
}

/** False, with nothing copied, if the key of a row came before. */
async function isCopied(trx: StateDb, statement: string, rows: Buffer, sent: () => void): Promise<boolean> {
  try {
    await copyInto(trx, `SAVEPOINT chunk; ${statement}; RELEASE SAVEPOINT chunk`, rows, sent);
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    await run(trx, 'ROLLBACK TO SAVEPOINT chunk');
    return false;
  }
}

const UNIQUE_VIOLATION = '23505';

/** Adds one of the rows with the same key. Then the load fails, because the table holds fewer rows than came. */
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

interface Before {
  /** Columns of the table that the query no longer fills. */
  readonly former: readonly string[];
  readonly wasEmpty: boolean;
  /** Months of the slice that have a part of the table. */
  readonly months: Set<string>;
  /** The number of the next row. */
  readonly first: bigint;
  /** The chunks of the last load. */
  readonly earlier: readonly LoadedPiece[];
}

/** One statement, because with a small slice the round trips take most of the time. */
async function lookBefore(trx: StateDb, target: LoadTarget): Promise<Before> {
  const { query, days } = target;
  const { from, own } = sliceOf(target);
  const months = days && hasDays(query) ? monthsOf(daysOf(days)) : [];
  const at = own.length + 1;
  const rows = await ask<[bigint, string, bigint, string[], Uint8Array | null, bigint, bigint]>(
    trx,
    `SELECT next_row, columns, EXISTS (SELECT ${from}) AS found,
      ARRAY(SELECT month FROM (${missingMonths(`$${at}`, `$${at + 1}`)}) AS missing) AS missing, digest, first_row, rows
    FROM pacekeeper.query_table AS stored
    LEFT JOIN pacekeeper.loaded_piece AS piece ON piece.query = stored.name AND piece.customer_id = $1
    WHERE stored.name = $${at + 2}`,
    [...own, tableOf(query.name), months, query.name],
  );
  const [stored] = rows;
  if (stored === undefined) throw new InvariantError(`There is no table ${query.name}.`);
  const [first, columns, found, missing] = stored;
  const filled = new Set(query.columns.map(({ name }) => name));
  const held = JSON.parse(columns) as readonly { readonly name: string }[];
  return {
    former: held.flatMap(({ name }) => (filled.has(name) ? [] : name)),
    wasEmpty: found === 0n,
    months: new Set(months.filter((month) => !missing.includes(month))),
    first,
    earlier: rows.flatMap(([, , , , digest, firstRow, count]) => (digest ? { digest, firstRow, rows: count } : [])),
  };
}

const monthsOf = (days: readonly CivilDate[]): string[] => [...new Set(days.map((day) => day.slice(0, 7)))];

/** SQL of the slice. */
function sliceOf({ query, customerId, days }: LoadTarget) {
  const dated = hasDays(query) && days !== undefined;
  return {
    own: [customerId, ...(dated ? [days.from, days.to] : [])],
    from: `FROM ${tableOf(query.name)} WHERE ${CUSTOMER_COLUMN} = $1${dated ? ` AND ${DATE_COLUMN} BETWEEN $2 AND $3` : ''}`,
  };
}

/** A row is stale if it belongs to an earlier load, and to no unchanged chunk. */
const staleFrom = (at: number) => `(${ROW_COLUMN} < $${at} AND NOT ${ROW_COLUMN} <@ $${at + 1}::int8multirange)`;

function rangesOf(pieces: readonly LoadedPiece[]): string {
  return `{${pieces.map(({ firstRow, rows }) => `[${firstRow},${firstRow + rows - 1n}]`).join(',')}}`;
}

async function refuseUnaskedDays(
  trx: StateDb,
  { query, customerId, days }: LoadTarget,
  kept: readonly LoadedPiece[],
  first: bigint,
): Promise<void> {
  if (days === undefined || !hasDays(query)) return;
  const [found] = await ask<[CivilDate]>(
    trx,
    `SELECT min(${DATE_COLUMN}) FROM ${tableOf(query.name)} WHERE ${CUSTOMER_COLUMN} = $1
      AND ${DATE_COLUMN} NOT BETWEEN $2 AND $3 AND NOT ${staleFrom(4)} HAVING count(*) > 0`,
    [customerId, days.from, days.to, first, rangesOf(kept)],
  );
  if (found) throw unaskedDay(found[0], days);
}

async function rememberPieces(
  trx: StateDb,
  { query: { name: query }, customerId }: LoadTarget,
  pieces: readonly LoadedPiece[],
): Promise<void> {
  const rows = [...new Map(pieces.map((piece) => [Buffer.from(piece.digest).toString('hex'), piece])).values()];
  for (const some of chunksOf(rows, ROWS_PER_STATEMENT)) {
    await trx
      .insertInto('loadedPiece')
      .values(some.map((piece) => ({ query, customerId, ...piece })))
      .execute();
  }
}

async function countRowNumbers(trx: StateDb, { name }: QueryFile, next: bigint): Promise<void> {
  // Another account may have come further meanwhile.
  await trx
    .updateTable('queryTable')
    .set({ nextRow: next })
    .where('name', '=', name)
    .where('nextRow', '<', next)
    .execute();
}
