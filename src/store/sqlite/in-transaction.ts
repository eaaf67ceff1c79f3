import type { Transaction } from 'kysely';
import type { StateSchema } from '../state-schema.ts';
import type { StateDb, StateFile } from './open-state.ts';

/** Joins the caller's transaction if there is one. */
export function inTransaction<Result>(db: StateDb, work: (trx: StateDb) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** A test may end the process at both points. */
export async function commitAtPoints<Name extends string, Result>(
  { db }: Pick<StateFile, 'db'>,
  passes: (point: `${Name}:before-commit` | `${Name}:after-commit`) => void,
  name: Name,
  work: (trx: Transaction<StateSchema>) => Promise<Result>,
): Promise<Result> {
  const result = await db.transaction().execute(async (trx) => {
    const done = await work(trx);
    passes(`${name}:before-commit`);
    return done;
  });
  passes(`${name}:after-commit`);
  return result;
}
