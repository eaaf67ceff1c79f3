import { type Expression, type RawBuilder, sql } from 'kysely';

/** The member of a column of JSON text at the path, as text; NULL where it has none. */
export function memberOf<Value = string>(column: string, path: string): RawBuilder<Value> {
  return sql<Value>`${sql.ref(column)} ->> ${sql.lit(path)}`;
}

/** JSON text without some of its members. */
export function withoutMembers(json: Expression<string>, names: readonly string[]): RawBuilder<string> {
  return sql<string>`json_remove(${json}, ${sql.join(names.map((name) => sql.lit(`$.${name}`)))})`;
}

/** The text of a column before the first sign of that kind. */
export function textBefore(column: string, sign: string): RawBuilder<string> {
  return sql<string>`substr(${sql.ref(column)}, 1, instr(${sql.ref(column)}, ${sql.lit(sign)}) - 1)`;
}

/** The text of a column after the first sign of that kind; all of it where there is none. */
export function textAfter(column: string, sign: string): RawBuilder<string> {
  return sql<string>`substr(${sql.ref(column)}, instr(${sql.ref(column)}, ${sql.lit(sign)}) + 1)`;
}

/** The larger of two numbers of a row. */
export function largerOf(one: Expression<bigint>, other: Expression<bigint>): RawBuilder<bigint> {
  return sql<bigint>`max(${one}, ${other})`;
}
