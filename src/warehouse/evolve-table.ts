import { InputError } from '../domain/errors.ts';
import { amountColumn } from '../gaql/check/column.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { forgetPublication } from '../store/runs/publication-table.ts';
import type { StateFile } from '../store/sqlite/open-state.ts';
import {
  absentKeyValue,
  CUSTOMER_COLUMN,
  createTable,
  declare,
  heldColumns,
  identifier,
  ROW_COLUMN,
  type StoredColumn,
  storageType,
  type TableShape,
} from './query-table.ts';

interface StoredTable extends TableShape {
  readonly resource: string | undefined;
}

/**
 * Creates the query's table, or brings it to what the query has become: gained columns are added (NULL in the rows there
 * are), a column that is no longer selected stays and is NULL from now on, a key that gained columns is carried over.
 * Throws `InputError`, and changes nothing, when a column changed its type or its field, when the key lost a column, or
 * when a column cannot be published beside those there are.
 */
export async function ensureQueryTable(state: StateFile, query: QueryFile): Promise<void> {
  const { connection, db } = state;
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
    if (!stored) connection.exec(createTable(shape));
    else if (isSameKey(stored, shape) && isNumbered(state, query.name)) addColumns(state, stored, shape);
    else await carryOver(state, stored, shape);
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

/** The table's shape for the query as it is now, or the reason why it cannot have it. */
function evolve(stored: StoredTable, query: QueryFile): TableShape {
  const { name } = query;
  if (stored.resource !== undefined && stored.resource !== query.resource) {
    throw refusal(name, `Table ${name} holds rows of ${stored.resource}, and its query reads ${query.resource} now.`);
  }
  const now = new Map(query.columns.map((column) => [column.name, column]));
  const known = new Set(stored.columns.map((column) => column.name));
  for (const earlier of stored.columns) {
    const column = now.get(earlier.name);
    if (column === undefined) continue;
    const became = `Column ${column.name} of table ${name} was`;
    if (storageType(earlier.type) !== storageType(column.type)) {
      throw refusal(name, `${became} ${earlier.type} and would become ${column.type}.`);
    }
    if (earlier.field !== column.field)
      throw refusal(name, `${became} ${earlier.field} and would become ${column.field}.`);
  }
  const gained = query.columns.filter((column) => !known.has(column.name)).map(storedColumn);
  // A type may have changed its name without changing what is stored, and an earlier version did not keep the role.
  const kept = stored.columns.map((column) => storedColumn(now.get(column.name) ?? column));
  const columns = [...kept, ...gained];
  refuseSharedNames(name, columns);
  return { name, columns, key: evolveKey(stored, query) };
}

function evolveKey(stored: StoredTable, query: QueryFile): readonly string[] {
  const lost = stored.key.filter((part) => !query.key.includes(part));
  if (lost.length > 0) {
    const without = `Table ${query.name} tells its rows apart by ${lost.join(', ')}, which the query no longer selects.`;
    throw refusal(query.name, without);
  }
  if (query.key.length === stored.key.length) return stored.key;
  const held = new Set([CUSTOMER_COLUMN, ...stored.columns.map(({ name }) => name)]);
  const absent = query.key.filter((part) => !held.has(part));
  if (stored.key.length === 0 && absent.length > 0) {
    const words = `The rows of table ${query.name} could not be told apart, and ${absent.join(', ')} would tell them apart now.`;
    throw refusal(query.name, words);
  }
  return query.key;
}

const isSameKey = (before: TableShape, after: TableShape): boolean => before.key.length === after.key.length;

/** Tables of the first version have no numbers for their rows. */
function isNumbered({ connection }: StateFile, table: string): boolean {
  return heldColumns(connection, table).includes(ROW_COLUMN);
}

function addColumns({ connection }: StateFile, before: TableShape, after: TableShape): void {
  for (const column of after.columns.slice(before.columns.length)) {
    connection.exec(`ALTER TABLE main.${identifier(after.name)} ADD COLUMN ${declare(column)}`);
  }
}

/**
 * Moves the rows into a table of the new shape. Where several have the same key now, the newest stays: they are the same
 * row, loaded again. Rows from before a key's new column have its empty value there.
 */
async function carryOver({ connection }: StateFile, before: TableShape, after: TableShape): Promise<void> {
  const table = `main.${identifier(after.name)}`;
  const old = identifier(`${after.name} before`);
  // No column of a query has this name for it.
  const number = before.key.length > 0 ? ROW_COLUMN : '_rowid_';
  connection.exec(`ALTER TABLE ${table} RENAME TO ${old}`);
  for (const index of [`${after.name}_by_day`, `ix_${after.name}`])
    connection.exec(`DROP INDEX IF EXISTS main.${identifier(index)}`);
  connection.exec(createTable(after));
  const held = new Set(before.columns.map(({ name }) => name));
  const values = after.columns.map((column) => {
    const value = held.has(column.name) ? identifier(column.name) : 'NULL';
    const absent = after.key.includes(column.name) ? (absentKeyValue(column) ?? '0') : undefined;
    return absent === undefined ? value : `coalesce(${value}, ${absent})`;
  });
  const names = [CUSTOMER_COLUMN, ...after.columns.map(({ name }) => identifier(name)), ROW_COLUMN];
  connection.exec(`INSERT OR REPLACE INTO ${table} (${names.join(', ')})
    SELECT ${[CUSTOMER_COLUMN, ...values, number].join(', ')} FROM main.${old} ORDER BY ${number}`);
  connection.exec(`DROP TABLE main.${old}`);
  connection
    .prepare(
      `UPDATE query_table SET next_row = (SELECT coalesce(max(${ROW_COLUMN}), 0) + 1 FROM ${table}) WHERE name = ?`,
    )
    .run(after.name);
  connection.prepare('DELETE FROM loaded_piece WHERE query = ?').run(after.name);
  forgetPublication(connection);
}

/** Beside a column of micros its amount is published, under a name that a column of earlier times may have. */
function refuseSharedNames(table: string, columns: readonly StoredColumn[]): void {
  const fields = new Map(columns.map(({ name, field }) => [name, field]));
  for (const { name, type } of columns) {
    const amount = amountColumn(name, type);
    const taken = amount === undefined ? undefined : fields.get(amount);
    if (taken === undefined) continue;
    throw refusal(table, `Column ${amount} of table ${table} holds ${taken}, and would be the amount of ${name}.`);
  }
}

function refusal(table: string, message: string): InputError {
  return new InputError(message, {
    nextStep:
      `Rename the query file, so that it fills a new table, or run "pacekeeper warehouse rebuild ${table}", which takes ` +
      'the old rows away and makes the table anew.',
  });
}
