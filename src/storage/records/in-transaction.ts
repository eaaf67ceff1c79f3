import type { Transaction, TransactionSettings } from 'kysely';
import { wasUndone } from './is-busy.ts';
import type { RecordStore, StateDb } from './record-store.ts';
import type { StateSchema } from './state-schema.ts';

/** Uses the caller's transaction, or begins a new transaction. `work` may be repeated, so it has no other effects. */
export function inTransaction<Result>(db: StateDb, work: (trx: StateDb) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : repeated(db, work);
}

/** A transaction `beside` others, for rows of one account or run. */
export function besideLoads<Result>(db: StateDb, work: (trx: StateDb) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().setIsolationLevel(BESIDE_LEVEL).execute(work);
}

/**
 * `alone`: no other process writes meanwhile. `beside`: on a server, several processes write at the same time, but not while one
 * is `alone`. A power failure may undo the last of these, which the next run repeats. SQLite makes no difference between
 * the two. `reading`: all reads see the same moment, and nothing can be written.
 */
export type TransactionKind = 'alone' | 'beside' | 'reading';

/** kysely hands no more than these settings to a driver, so the level stands for the kind. Only this file knows that. */
export function kindOf({ accessMode, isolationLevel }: TransactionSettings): TransactionKind {
  if (accessMode === 'read only') return 'reading';
  return isolationLevel === BESIDE_LEVEL ? 'beside' : 'alone';
}

const BESIDE_LEVEL = 'read committed';

const ATTEMPTS = 3;

async function repeated<Result>(
  db: StateDb,
  work: (trx: Transaction<StateSchema>) => Promise<Result>,
  attempt = 1,
): Promise<Result> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    if (!wasUndone(error) || attempt >= ATTEMPTS) throw error;
    return repeated(db, work, attempt + 1);
  }
}

/** Points where a test may end the process. */
export type PointOf<Commit extends string, Request extends string> =
  | `${Commit}:${'before' | 'after'}-commit`
  | `${Request}:${'before-send' | 'after-answer'}`;

export function pointsOf<Commit extends string, Request extends string>(
  commits: readonly Commit[],
  requests: readonly Request[],
): readonly PointOf<Commit, Request>[] {
  return [
    ...commits.flatMap((name) => [`${name}:before-commit`, `${name}:after-commit`] as const),
    ...requests.flatMap((name) => [`${name}:before-send`, `${name}:after-answer`] as const),
  ];
}

export async function commit<Name extends string, Result>(
  {
    state: { db },
    passes,
  }: {
    readonly state: Pick<RecordStore, 'db'>;
    readonly passes: (point: `${Name}:before-commit` | `${Name}:after-commit`) => void;
  },
  name: Name,
  work: (trx: Transaction<StateSchema>) => Promise<Result>,
): Promise<Result> {
  const result = await repeated(db, async (trx) => {
    const done = await work(trx);
    passes(`${name}:before-commit`);
    return done;
  });
  passes(`${name}:after-commit`);
  return result;
}
