import { type Expression, type RawBuilder, sql } from 'kysely';

export function memberOf<Value = string>(column: string, path: string): RawBuilder<Value> {
  return sql<Value>`${sql.ref(column)} ->> ${sql.lit(path)}`;
}

export function withoutMembers(json: Expression<string>, names: readonly string[]): RawBuilder<string> {
  return sql<string>`json_remove(${json}, ${sql.join(names.map((name) => sql.lit(`$.${name}`)))})`;
}

/** Returns the complete text if the text does not contain `sign`. */
export function textAfter(column: string, sign: string): RawBuilder<string> {
  return sql<string>`substr(${sql.ref(column)}, instr(${sql.ref(column)}, ${sql.lit(sign)}) + 1)`;
}

/** For the columns of an upsert that take the new values. */
export function excluded<Column extends string>(...columns: Column[]): Record<Column, RawBuilder<never>> {
  return Object.fromEntries(columns.map((column) => [column, sql.ref(`excluded.${column}`)])) as never;
}

export function largerOf(one: Expression<bigint>, other: Expression<bigint>): RawBuilder<bigint> {
  return sql<bigint>`max(${one}, ${other})`;
}
