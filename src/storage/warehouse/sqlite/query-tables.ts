import type { QueryFile } from '../../../language/gaql/query-file.ts';
import type { Connected } from '../../records/sqlite/prepared.ts';
import {
  absentKeyValue,
  CUSTOMER_COLUMN,
  DATE_COLUMN,
  declaredColumns,
  hasDays,
  identifier,
  ROW_COLUMN,
  type StoredField,
  type StoredQuery,
  storageType,
  type TableShape,
} from '../query-table.ts';
import { forgetPublication } from './publication-record.ts';

/** One table, which is sorted by its key if it has one. The other engine has a part for each month instead. */
export function createQueryTable({ connection }: Connected, shape: TableShape): void {
  connection.exec(tableStatement(shape));
}

/** The table is sorted by its key. Without a key, duplicate rows are possible. */
export function tableStatement({ name, columns, key }: Pick<StoredQuery, 'name' | 'columns' | 'key'>): string {
  const table = `main.${identifier(name)}`;
  const declared = [`${CUSTOMER_COLUMN} INTEGER NOT NULL`, ...declaredColumns({ columns, key }, declare)];
  if (key.length > 0) {
    const primary = `PRIMARY KEY (${key.map(identifier).join(', ')})`;
    return `CREATE TABLE ${table} (${declared.join(', ')}, ${ROW_COLUMN} INTEGER NOT NULL, ${primary}) STRICT, WITHOUT ROWID`;
  }
  const indexed = hasDays({ columns }) ? `${CUSTOMER_COLUMN}, ${DATE_COLUMN}` : CUSTOMER_COLUMN;
  return `CREATE TABLE ${table} (${declared.join(', ')}, ${ROW_COLUMN} INTEGER PRIMARY KEY) STRICT;
    CREATE INDEX main.${identifier(`ix_${name}`)} ON ${identifier(name)} (${indexed})`;
}

function declare({ name, type }: StoredField): string {
  return `${identifier(name)} ${storageType(type)}`;
}

/** False for tables of the first version, which have no row numbers. */
export function isNumbered(state: Connected, table: string): boolean {
  return heldColumns(state, table).includes(ROW_COLUMN);
}

export function addColumns({ connection }: Connected, before: TableShape, after: TableShape): void {
  for (const column of after.columns.slice(before.columns.length)) {
    connection.exec(`ALTER TABLE main.${identifier(after.name)} ADD COLUMN ${declare(column)}`);
  }
}

/** If rows have the same key, only the newest is copied. */
export function carryOver({ connection }: Connected, before: TableShape, after: TableShape): void {
  const table = `main.${identifier(after.name)}`;
  const old = identifier(`${after.name} before`);
  const number = before.key.length > 0 ? ROW_COLUMN : '_rowid_';
  connection.exec(`ALTER TABLE ${table} RENAME TO ${old}`);
  for (const index of [`${after.name}_by_day`, `ix_${after.name}`])
    connection.exec(`DROP INDEX IF EXISTS main.${identifier(index)}`);
  connection.exec(tableStatement(after));
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
  forgetPublication({ connection });
}

/** The next publication is then written from scratch. */
export function dropTable({ connection }: Connected, name: string): void {
  connection.exec(`DROP TABLE main.${identifier(name)}`);
  forgetPublication({ connection });
}

export function countRows({ connection }: Connected, name: string): bigint {
  return (
    connection
      .prepare<[], bigint>(`SELECT count(*) FROM main.${identifier(name)}`)
      .pluck()
      .get() ?? 0n
  );
}

export function formerColumns(state: Connected, { name, columns }: QueryFile): string[] {
  const filled = new Set([CUSTOMER_COLUMN, ROW_COLUMN, ...columns.map((column) => column.name)]);
  return heldColumns(state, name).filter((column) => !filled.has(column));
}

export function heldColumns({ connection }: Connected, table: string): string[] {
  const rows = connection.pragma(`main.table_info(${identifier(table)})`) as { readonly name: string }[];
  return rows.map(({ name }) => name);
}
