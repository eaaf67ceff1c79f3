import type { CompiledQuery } from 'kysely';
import type { Connected } from './prepared.ts';

/** Yields one row at a time, for results that are too large for a list. */
export function eachRow({ connection }: Connected, { sql, parameters }: CompiledQuery): IterableIterator<unknown[]> {
  return connection
    .prepare(sql)
    .raw()
    .iterate(...parameters) as IterableIterator<unknown[]>;
}
