import type { CompiledQuery } from 'kysely';
import type { Connected } from './prepared.ts';

/** The rows of a query one after the other, each as the values of its columns, for results that no list is made of. */
export function eachRow({ connection }: Connected, { sql, parameters }: CompiledQuery): IterableIterator<unknown[]> {
  return connection
    .prepare(sql)
    .raw()
    .iterate(...parameters) as IterableIterator<unknown[]>;
}
