import { createHash } from 'node:crypto';
import { InputError } from '../../../domain/errors.ts';
import { LOCK_SPACE, MONTHS_LOCK } from '../../records/postgres/postgres-driver.ts';
import type { StateDb } from '../../records/record-store.ts';
import {
  absentKeyValue,
  CUSTOMER_COLUMN,
  DATE_COLUMN,
  declaredColumns,
  hasDays,
  identifier,
  ROW_COLUMN,
  type StoredColumn,
  storageType,
  type TableShape,
} from '../query-table.ts';
import { ask, run } from './ask.ts';

export const tableOf = (name: string): string => `warehouse.${identifier(name)}`;

/** In bytes. PostgreSQL would silently cut a longer name. */
const NAME_BYTES_MAX = 63;

/**
 * `customer_id` leads the key. A table with days has a part for each month. In SQLite (`sqlite/query-tables.ts`), a
 * table has no parts.
 */
export async function createQueryTable(trx: StateDb, { name, columns, key }: TableShape): Promise<void> {
  refuseLongNames(name, columns);
  const declared = [
    `${CUSTOMER_COLUMN} bigint NOT NULL`,
    ...declaredColumns({ columns, key }, declare),
    `${ROW_COLUMN} bigint NOT NULL`,
    ...(key.length > 0 ? [`PRIMARY KEY (${keyColumns(key).join(', ')})`] : []),
  ];
  const parts = hasDays({ columns }) ? ` PARTITION BY RANGE (${DATE_COLUMN})` : '';
  await run(trx, `CREATE TABLE ${tableOf(name)} (${declared.join(', ')})${parts}`);
  const leading = [CUSTOMER_COLUMN, ...(hasDays({ columns }) ? [DATE_COLUMN] : [])];
  // A key that begins with these columns is such an index.
  if (key.length > 0 && leading.every((column, index) => keyColumns(key)[index] === identifierOf(column))) return;
  await run(trx, `CREATE INDEX ON ${tableOf(name)} (${leading.join(', ')})`);
}

const identifierOf = (column: string) => (column === CUSTOMER_COLUMN ? column : identifier(column));

export const keyColumns = (key: readonly string[]): string[] => [
  CUSTOMER_COLUMN,
  ...key.filter((column) => column !== CUSTOMER_COLUMN).map(identifier),
];

function declare({ name, type }: StoredColumn): string {
  const stored = { INTEGER: 'bigint', REAL: 'double precision', TEXT: 'text COLLATE "C"' }[storageType(type)];
  return `${identifier(name)} ${name === DATE_COLUMN ? 'date' : stored}`;
}

export function refuseLongNames(table: string, columns: readonly StoredColumn[]): void {
  const long = [table, ...columns.map(({ name }) => name)].find((name) => Buffer.byteLength(name) > NAME_BYTES_MAX);
  if (long === undefined) return;
  throw new InputError(`The name ${long} is too long for PostgreSQL: expected at most ${NAME_BYTES_MAX} bytes.`, {
    nextStep: 'Rename the query file, or give the column a shorter alias.',
  });
}

/** Creates the missing parts for these months, written like 2026-11. */
export async function ensureMonths(trx: StateDb, table: string, months: readonly string[]): Promise<void> {
  const missing = () => ask<[string]>(trx, missingMonths('$1', '$2'), [tableOf(table), months]);
  if ((await missing()).length === 0) return;
  // Another process may be creating the same part.
  await run(trx, `SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${MONTHS_LOCK})`);
  for (const [month] of await missing()) {
    const [year = '', number = ''] = month.split('-');
    const next = number === '12' ? `${Number(year) + 1}-01` : `${year}-${String(Number(number) + 1).padStart(2, '0')}`;
    const part = `pacekeeper."${partOf(table, month)}"`;
    await run(trx, `CREATE TABLE ${part} (LIKE ${tableOf(table)})`);
    // Unlike PARTITION OF, this lets others read the table meanwhile.
    await run(
      trx,
      `ALTER TABLE ${tableOf(table)} ATTACH PARTITION ${part}
      FOR VALUES FROM ('${month}-01') TO ('${next.padStart(7, '0')}-01')`,
    );
  }
}

/** A new name for a part. No other part has it, and no table has a blank in its name. */
function partOf(table: string, month: string): string {
  const name = `${month} ${table}`;
  if (name.length <= NAME_BYTES_MAX) return name;
  const rest = ` ${createHash('sha256').update(table).digest('hex').slice(0, 16)}`;
  return name.slice(0, NAME_BYTES_MAX - rest.length) + rest;
}

/**
 * SQL of the months without a part. The bounds of the existing parts decide, not their names. Earlier versions named a part
 * by the number of its table, which differs in a restored database. Unlike `to_regclass`, this sees a part that
 * another process created after an earlier look of the same transaction.
 */
export function missingMonths(table: string, months: string): string {
  const bound = (word: string, otherwise: string) =>
    `coalesce((regexp_match(pg_get_expr(relpartbound, oid), $$${word} \\('([^']*)'\\)$$))[1]::date, '${otherwise}')`;
  return `SELECT month FROM unnest(${months}::text[]) AS month WHERE NOT EXISTS (
      SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = ${table}::regclass
        AND ${bound('FROM', '-infinity')} <= (month || '-01')::date AND ${bound('TO', 'infinity')} > (month || '-01')::date)`;
}

export async function addColumns(trx: StateDb, before: TableShape, after: TableShape): Promise<void> {
  const gained = after.columns.slice(before.columns.length);
  refuseLongNames(after.name, gained);
  for (const column of gained) await run(trx, `ALTER TABLE ${tableOf(after.name)} ADD COLUMN ${declare(column)}`);
}

/** If rows have the same key, only the newest is copied. */
export async function carryOver(trx: StateDb, before: TableShape, after: TableShape): Promise<void> {
  await run(trx, `CREATE TEMP TABLE held ON COMMIT DROP AS SELECT * FROM ${tableOf(before.name)}`);
  await run(trx, `DROP TABLE ${tableOf(before.name)}`);
  await createQueryTable(trx, after);
  if (hasDays(after)) {
    const months = await ask<[string]>(trx, `SELECT DISTINCT to_char(${DATE_COLUMN}, 'YYYY-MM') FROM held`);
    await ensureMonths(
      trx,
      after.name,
      months.map(([month]) => month),
    );
  }
  const held = new Set(before.columns.map(({ name }) => name));
  const values = after.columns.map((column) => {
    const value = held.has(column.name) ? identifier(column.name) : 'NULL';
    const isFilled = after.key.includes(column.name) && column.name !== DATE_COLUMN;
    const absent = isFilled ? (absentKeyValue(column) ?? '0') : undefined;
    return `${absent === undefined ? value : `coalesce(${value}, ${absent})`} AS ${identifier(column.name)}`;
  });
  const names = [CUSTOMER_COLUMN, ...after.columns.map(({ name }) => identifier(name)), ROW_COLUMN].join(', ');
  const rows = `SELECT ${CUSTOMER_COLUMN}, ${values.join(', ')}, ${ROW_COLUMN} FROM held`;
  const key = keyColumns(after.key).join(', ');
  const newest =
    after.key.length === 0
      ? rows
      : `SELECT DISTINCT ON (${key}) * FROM (${rows}) AS each ORDER BY ${key}, ${ROW_COLUMN} DESC`;
  await run(trx, `INSERT INTO ${tableOf(after.name)} (${names}) SELECT ${names} FROM (${newest}) AS kept`);
  await trx.deleteFrom('loadedPiece').where('query', '=', after.name).execute();
}

export async function dropTable(trx: StateDb, name: string): Promise<void> {
  await run(trx, `DROP TABLE ${tableOf(name)}`);
}

export async function countRows(db: StateDb, name: string): Promise<bigint> {
  const [row] = await ask<[bigint]>(db, `SELECT count(*) FROM ${tableOf(name)}`);
  return row?.[0] ?? 0n;
}
