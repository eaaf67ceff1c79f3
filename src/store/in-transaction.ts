import type { StateDb } from './open-state.ts';

/** Runs `work` in the caller's transaction, or else in one of its own: all of it is committed, or none. */
export function inTransaction<Result>(db: StateDb, work: (trx: StateDb) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
