import type { Transaction } from 'kysely';
import type { StateSchema } from '../state-schema.ts';
import type { StateDb, StateFile } from './open-state.ts';

/** Runs `work` in the caller's transaction, or else in one of its own: all of it is committed, or none. */
export function inTransaction<Result>(db: StateDb, work: (trx: StateDb) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** One transaction with a name, and the places at both sides of its commit where a test may end the process. */
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
