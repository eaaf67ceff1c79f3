import { CompiledQuery } from 'kysely';
import type { StateDb } from '../../records/record-store.ts';

/** Rows as arrays, in the order of the selected columns, whose names must differ. */
export async function ask<Row extends readonly unknown[]>(
  db: StateDb,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await db.withoutPlugins().executeQuery<object>(CompiledQuery.raw(sql, [...parameters]));
  return rows.map((row) => Object.values(row) as readonly unknown[] as Row);
}

export async function run(db: StateDb, sql: string, parameters: readonly unknown[] = []): Promise<bigint> {
  const result = await db.withoutPlugins().executeQuery(CompiledQuery.raw(sql, [...parameters]));
  return result.numAffectedRows ?? 0n;
}
