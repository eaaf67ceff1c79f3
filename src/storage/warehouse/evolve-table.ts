import { addDays, type CivilDate, type DateRange } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { amountColumn } from '../../language/gaql/check/column.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { StateDb } from '../records/record-store.ts';
import { CUSTOMER_COLUMN, hasDays, type StoredColumn, storageType, type TableShape } from './query-table.ts';
import type { Store } from './store.ts';

interface StoredTable extends TableShape {
  readonly resource: string | undefined;
}

/** Throws `InputError` for a change that needs a new table, for example another column type or a smaller key. */
export async function ensureQueryTable({ db, warehouse }: Store, query: QueryFile): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('queryTable')
      .select(['name', 'columns', 'key', 'resource'])
      .where('name', '=', query.name)
      .executeTakeFirst();
    const stored = row && { ...row, columns: JSON.parse(row.columns), key: JSON.parse(row.key) };
    const shape = stored
      ? evolve(stored, query)
      : { name: query.name, columns: query.columns.map(storedColumn), key: query.key };
    if (!stored) await warehouse.createTable(trx, shape);
    else if (isSameKey(stored, shape) && (await warehouse.isNumbered(trx, query.name)))
      await warehouse.addColumns(trx, stored, shape);
    else await warehouse.carryOver(trx, stored, shape);
    const facts = {
      columns: JSON.stringify(shape.columns),
      key: JSON.stringify(shape.key),
      resource: query.resource,
      query: query.text,
      description: query.description,
    };
    await trx
      .insertInto('queryTable')
      .values({ name: query.name, ...facts })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
      .execute();
  });
}

function storedColumn({ name, type, field, role }: StoredColumn): StoredColumn {
  return { name, type, field, role };
}

function evolve(stored: StoredTable, query: QueryFile): TableShape {
  const { name } = query;
  if (stored.resource !== undefined && stored.resource !== query.resource) {
    throw refusal(name, `Table ${name} holds rows of ${stored.resource}, but its query now reads ${query.resource}.`);
  }
  const now = new Map(query.columns.map((column) => [column.name, column]));
  const known = new Set(stored.columns.map((column) => column.name));
  for (const earlier of stored.columns) {
    const column = now.get(earlier.name);
    if (column === undefined) continue;
    const became = `Column ${column.name} of table ${name} holds`;
    if (storageType(earlier.type) !== storageType(column.type)) {
      throw refusal(name, `${became} ${earlier.type}, but its query now selects ${column.type}.`);
    }
    if (earlier.field !== column.field)
      throw refusal(name, `${became} ${earlier.field}, but its query now selects ${column.field}.`);
  }
  const gained = query.columns.filter((column) => !known.has(column.name)).map(storedColumn);
  // The query file decides type and role, because earlier versions did not store roles.
  const kept = stored.columns.map((column) => storedColumn(now.get(column.name) ?? column));
  const columns = [...kept, ...gained];
  refuseSharedNames(name, columns);
  return { name, columns, key: evolveKey(stored, query) };
}

function evolveKey(stored: StoredTable, query: QueryFile): readonly string[] {
  const lost = stored.key.filter((part) => !query.key.includes(part));
  if (lost.length > 0) {
    const without = `The query of table ${query.name} no longer selects ${lost.join(', ')}, but the key of the table needs ${lost.length === 1 ? 'it' : 'them'}.`;
    throw refusal(query.name, without);
  }
  if (hasDays(stored) !== hasDays(query)) {
    const words = hasDays(stored)
      ? `The query of table ${query.name} no longer selects segments.date, but the table has days.`
      : `Table ${query.name} has rows without days, but its query now selects segments.date.`;
    throw refusal(query.name, words);
  }
  if (query.key.length === stored.key.length) return stored.key;
  const held = new Set([CUSTOMER_COLUMN, ...stored.columns.map(({ name }) => name)]);
  const absent = query.key.filter((part) => !held.has(part));
  if (stored.key.length === 0 && absent.length > 0) {
    const words = `Table ${query.name} has rows without a key, but its query now needs the key ${absent.join(', ')}.`;
    throw refusal(query.name, words);
  }
  return query.key;
}

const isSameKey = (before: TableShape, after: TableShape): boolean => before.key.length === after.key.length;

/** Throws `InputError` if a published amount would have the name of another column. */
function refuseSharedNames(table: string, columns: readonly StoredColumn[]): void {
  const fields = new Map(columns.map(({ name, field }) => [name, field]));
  for (const { name, type } of columns) {
    const amount = amountColumn(name, type);
    const taken = amount === undefined ? undefined : fields.get(amount);
    if (taken === undefined) continue;
    throw refusal(
      table,
      `Column ${amount} of table ${table} holds ${taken}, but pacekeeper needs this name for the amount of ${name}.`,
    );
  }
}

function refusal(table: string, message: string): InputError {
  return new InputError(message, {
    nextStep:
      `Rename the query file to fill a new table. Or run "pacekeeper warehouse rebuild ${table}" ` +
      'to delete the old rows and create the table again.',
  });
}

export interface HeldRows {
  readonly rows: bigint;
  /** Days that at least one account has, as ranges. */
  readonly days: readonly DateRange[];
}

export async function heldRows({ db, warehouse }: Store, name: string): Promise<HeldRows | undefined> {
  const table = await db.selectFrom('queryTable').select('name').where('name', '=', name).executeTakeFirst();
  if (table === undefined) return undefined;
  return { rows: await warehouse.countRows(name), days: await readDays(db, name) };
}

async function readDays(db: StateDb, name: string): Promise<DateRange[]> {
  const rows = await db
    .selectFrom('accountDay')
    .select('date')
    .distinct()
    .where('query', '=', name)
    .orderBy('date')
    .execute();
  const ranges: { from: CivilDate; to: CivilDate }[] = [];
  for (const { date: day } of rows) {
    const last = ranges.at(-1);
    if (last && addDays(last.to, 1) === day) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}

/** The history of reads stays: the tables `slice` and `day_reading`. */
export async function dropQueryTable({ db, warehouse }: Store, name: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx.deleteFrom('queryTable').where('name', '=', name).returning('name').executeTakeFirst();
    if (row === undefined) return;
    await warehouse.dropTable(trx, name);
    await trx.deleteFrom('accountDay').where('query', '=', name).execute();
    await trx.deleteFrom('loadedPiece').where('query', '=', name).execute();
  });
}
