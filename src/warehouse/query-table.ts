import { InputError, unreachable } from '../domain/errors.ts';
import type { DataType } from '../gaql/catalogue/catalogue.ts';
import { amountColumn, type Column } from '../gaql/check/column.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import type { StateFile } from '../store/open-state.ts';

/** The account's column, first in every query's table. */
export const CUSTOMER_COLUMN = 'customer_id';
export const DATE_COLUMN = 'date';

/** A name as SQL takes it, whatever it holds. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A column's type in the state file's STRICT tables. */
export function storageType(type: DataType): 'INTEGER' | 'REAL' | 'TEXT' {
  switch (type) {
    case 'INT64':
    case 'BOOLEAN':
      return 'INTEGER';
    case 'DOUBLE':
      return 'REAL';
    case 'STRING':
    case 'ENUM':
    case 'DATE':
    case 'RESOURCE_NAME':
    case 'DATE_TIME':
    case 'MESSAGE':
      return 'TEXT';
    default:
      return unreachable(type);
  }
}

/** What is remembered of a table's columns between runs. */
interface StoredColumn {
  readonly name: string;
  readonly type: DataType;
  /** The field that fills it: an alias can give its name to another one, and old rows would not be told from new ones. */
  readonly field: string;
}

/**
 * Creates the query's table, or adds the columns that the query has gained; a column that it no longer selects stays
 * and is NULL from now on. Throws `InputError` when a column changed its type or its field, or when one that was gained
 * cannot be published beside those there are.
 */
export async function ensureQueryTable(state: StateFile, query: QueryFile): Promise<void> {
  const { connection, db } = state;
  await db.transaction().execute(async (trx) => {
    const stored = await trx
      .selectFrom('query_table')
      .select('columns')
      .where('name', '=', query.name)
      .executeTakeFirst();
    const before = stored ? (JSON.parse(stored.columns) as StoredColumn[]) : [];
    const known = new Map(before.map((column) => [column.name, column]));
    const added: StoredColumn[] = [];
    for (const { name, type, field } of query.columns) {
      const earlier = known.get(name);
      if (earlier === undefined) added.push({ name, type, field });
      else if (storageType(earlier.type) !== storageType(type)) throw changed(query.name, name, earlier.type, type);
      else if (earlier.field !== field) throw changed(query.name, name, earlier.field, field);
    }
    refuseSharedNames(query.name, [...before, ...added]);
    if (!stored) connection.exec(createTable(query));
    else
      for (const column of added)
        connection.exec(`ALTER TABLE ${identifier(query.name)} ADD COLUMN ${declare(column)}`);
    const facts = {
      columns: JSON.stringify([...before, ...added]),
      query: query.text,
      description: query.description,
    };
    await trx
      .insertInto('query_table')
      .values({ name: query.name, ...facts })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
      .execute();
  });
}

function createTable(query: QueryFile): string {
  const table = identifier(query.name);
  const columns = [`${CUSTOMER_COLUMN} INTEGER NOT NULL`, ...query.columns.map(declare)];
  const dated = query.columns.some(({ name }) => name === DATE_COLUMN);
  // Replacing and summing days both go by this index.
  const index = `CREATE INDEX ${identifier(`${query.name}_by_day`)} ON ${table} (${CUSTOMER_COLUMN}${dated ? `, ${DATE_COLUMN}` : ''})`;
  return `CREATE TABLE ${table} (${columns.join(', ')}) STRICT; ${index}`;
}

function declare(column: StoredColumn): string {
  return `${identifier(column.name)} ${storageType(column.type)}`;
}

/** Beside a column of micros its amount is published, under a name that a column of earlier times may have. */
function refuseSharedNames(table: string, columns: readonly StoredColumn[]): void {
  const fields = new Map(columns.map(({ name, field }) => [name, field]));
  for (const { name, type } of columns) {
    const amount = amountColumn(name, type);
    const taken = amount === undefined ? undefined : fields.get(amount);
    if (taken === undefined) continue;
    throw new InputError(`Column ${amount} of table ${table} holds ${taken}, and would be the amount of ${name}.`, {
      nextStep: ANOTHER_TABLE,
    });
  }
}

function changed(table: string, column: string, before: string, now: string): InputError {
  return new InputError(`Column ${column} of table ${table} was ${before} and would become ${now}.`, {
    nextStep: ANOTHER_TABLE,
  });
}

const ANOTHER_TABLE =
  'Rename the query file, so that it fills a new table, or move the data folder away to read everything again.';

/**
 * The statement that loads a piece of the stream, the JSON array of some rows, into the query's table. SQLite parses the
 * text and casts each value by its column, which keeps int64 exact. A row that is no object, or whose date is no
 * `YYYY-MM-DD` of the calendar, gets no account and so fails the table's NOT NULL. Parameters: rows, customer.
 */
export function loadStatement(query: QueryFile): string {
  const date = query.columns.find(({ name }) => name === DATE_COLUMN);
  const dated = date ? ` AND date(${valueAt(date)}) = ${valueAt(date)}` : '';
  const names = [CUSTOMER_COLUMN, ...query.columns.map(({ name }) => identifier(name))];
  const values = query.columns.map((column) =>
    // The service may leave a zero metric out; an absent attribute is not known.
    column.role === 'metric' ? `coalesce(${valueAt(column)}, 0)` : valueAt(column),
  );
  return `INSERT INTO ${identifier(query.name)} (${names.join(', ')})
    SELECT CASE WHEN type = 'object'${dated} THEN @customer END, ${values.join(', ')}
    FROM jsonb_each(CAST(@rows AS TEXT))`;
}

function valueAt(column: Column): string {
  return `value ->> '$.${column.path.join('.')}'`;
}

/** The statement that takes away what a slice is about to replace. Parameters: customer, from, to. */
export function removeStatement(query: QueryFile): string {
  const dated = query.columns.some(({ name }) => name === DATE_COLUMN);
  const days = dated ? ` AND ${DATE_COLUMN} BETWEEN @from AND @to` : '';
  return `DELETE FROM ${identifier(query.name)} WHERE ${CUSTOMER_COLUMN} = @customer${days}`;
}

/**
 * The statement that keeps a day from being counted twice when the service delivered one that was not asked for (its
 * calendar may differ from ours): of such days, rows from before this slice go. Parameters: customer, from, to, before
 * (the table's last rowid before the slice).
 */
export function removeStrayDaysStatement(query: QueryFile): string {
  const table = identifier(query.name);
  const stray = `SELECT ${DATE_COLUMN} FROM ${table} WHERE ${CUSTOMER_COLUMN} = @customer
    AND ${DATE_COLUMN} NOT BETWEEN @from AND @to AND rowid > @before`;
  return `DELETE FROM ${table} WHERE ${CUSTOMER_COLUMN} = @customer AND rowid <= @before AND ${DATE_COLUMN} IN (${stray})`;
}

export function lastRowidStatement(query: QueryFile): string {
  return `SELECT coalesce(max(rowid), 0) FROM ${identifier(query.name)}`;
}
