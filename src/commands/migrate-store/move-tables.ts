import { hash } from 'node:crypto';
import { InputError, InvariantError } from '../../domain/errors.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import {
  holds,
  MOVED_RECORDS,
  type MovedTable,
  type MovingStore,
  QUERY_TABLES,
  queryTable,
  readRows,
} from '../../storage/warehouse/moved-rows.ts';
import type { TableShape } from '../../storage/warehouse/query-table.ts';

export interface MovedTally {
  readonly table: string;
  readonly rows: bigint;
  /** The same for equal rows in any order. */
  readonly checksum: string;
}

type Row = readonly unknown[];

/** A table of a query, with its row in the list of such tables. */
interface ListedTable {
  readonly shape: TableShape;
  readonly row: Row;
}

export async function listedTables(from: MovingStore): Promise<ListedTable[]> {
  const listed: ListedTable[] = [];
  await readRows(from, QUERY_TABLES, (row) => {
    const textOf = (column: string) => String(row[QUERY_TABLES.columns.indexOf(column)]);
    const shape = { name: textOf('name'), columns: JSON.parse(textOf('columns')), key: JSON.parse(textOf('key')) };
    listed.push({ shape, row });
  });
  return listed;
}

/**
 * Each table arrives in one transaction, and then equals its original. A table that is there already is compared again.
 * `passes` is called after each table.
 */
export async function moveTables(
  from: MovingStore,
  to: MovingStore,
  listed: readonly ListedTable[],
  passes: (table: string) => void,
): Promise<MovedTally[]> {
  const tallies: MovedTally[] = [];
  const arrive = async (table: MovedTable, isThere: boolean, copy: () => Promise<MovedTally>) => {
    const expected = isThere ? await tallyOf(from, table) : await copy();
    refuseDifference(expected, await tallyOf(to, table), to.path);
    tallies.push(expected);
    passes(table.name);
  };
  for (const table of MOVED_RECORDS) {
    await arrive(table, await holds(to, table), () =>
      to.db.transaction().execute((trx) => copyRows(from, to, trx, table)),
    );
  }
  const there = new Set((await listedTables(to)).map(({ shape }) => shape.name));
  for (const { shape, row } of listed) {
    const table = queryTable(shape);
    await arrive(table, there.has(shape.name), () =>
      to.db.transaction().execute(async (trx) => {
        await to.warehouse.createTable(trx, shape);
        const tally = await copyRows(from, to, trx, table);
        await to.moved.insert(trx, QUERY_TABLES, [row]);
        return tally;
      }),
    );
  }
  await arrive(QUERY_TABLES, true, () => tallyOf(from, QUERY_TABLES));
  await moveCounters(from, to);
  return tallies;
}

export async function talliesOf(store: MovingStore, listed: readonly ListedTable[]): Promise<MovedTally[]> {
  const tallies: MovedTally[] = [];
  for (const table of [...MOVED_RECORDS, ...listed.map(({ shape }) => queryTable(shape)), QUERY_TABLES]) {
    tallies.push(await tallyOf(store, table));
  }
  return tallies;
}

/** In characters. */
const CHUNK_MAX = 512 * 1024;

async function copyRows(from: MovingStore, to: MovingStore, trx: StateDb, table: MovedTable): Promise<MovedTally> {
  const tally = new Tally();
  let chunk: Row[] = [];
  let size = 0;
  await readRows(from, table, (row) => {
    chunk.push(row);
    size += tally.add(row);
    if (size < CHUNK_MAX) return undefined;
    const full = chunk;
    chunk = [];
    size = 0;
    return to.moved.insert(trx, table, full);
  });
  if (chunk.length > 0) await to.moved.insert(trx, table, chunk);
  return tally.of(table);
}

async function tallyOf(store: MovingStore, table: MovedTable): Promise<MovedTally> {
  const tally = new Tally();
  await readRows(store, table, (row) => void tally.add(row));
  return tally.of(table);
}

const CHECKSUM_BITS = 128;

class Tally {
  #rows = 0n;
  #sum = 0n;

  /** Returns the length of the row's text. */
  add(row: Row): number {
    const text = row.map(canonicalText).join('');
    this.#rows += 1n;
    this.#sum += BigInt(`0x${hash('sha256', text).slice(0, CHECKSUM_BITS / 4)}`);
    return text.length;
  }

  of({ name }: MovedTable): MovedTally {
    const sum = BigInt.asUintN(CHECKSUM_BITS, this.#sum);
    return { table: name, rows: this.#rows, checksum: sum.toString(16).padStart(CHECKSUM_BITS / 4, '0') };
  }
}

/** Values of different types, or divided otherwise between columns, have different texts. */
function canonicalText(value: unknown): string {
  if (value === null) return 'null;';
  if (typeof value === 'string') return `text ${value.length} ${value};`;
  if (value instanceof Uint8Array) return `blob ${Buffer.from(value).toString('hex')};`;
  return `${typeof value} ${value};`;
}

const tallyText = ({ rows, checksum }: MovedTally) => `${rows} rows with checksum ${checksum}`;

function refuseDifference(expected: MovedTally, found: MovedTally, place: string): void {
  if (found.rows === expected.rows && found.checksum === expected.checksum) return;
  throw new InputError(
    `Table ${expected.table} of ${place} differs from its original: found ${tallyText(found)}, expected ${tallyText(expected)}.`,
    {
      nextStep: `Its original changed since an earlier move began. Remove what arrived in ${place}, as docs/scale-out.md says. Then move again.`,
    },
  );
}

async function moveCounters(from: MovingStore, to: MovingStore): Promise<void> {
  const isMoved = ([name, last]: readonly [string, bigint]) =>
    last > 0n && MOVED_RECORDS.some((table) => table.name === name);
  const counters = new Map([...(await from.moved.counters())].filter(isMoved));
  await to.db.transaction().execute((trx) => to.moved.count(trx, counters));
  const found = await to.moved.counters();
  for (const [name, last] of counters) {
    if (found.get(name) !== last)
      throw new InvariantError(`The next id of ${name} in ${to.path} does not follow ${last}.`);
  }
}
