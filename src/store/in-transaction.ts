import type { Transaction } from 'kysely';
import type { RecordStore, StateDb } from './record-store.ts';
import type { StateSchema } from './state-schema.ts';

/** Uses the caller's transaction, or begins a new transaction. */
export function inTransaction<Result>(db: StateDb, work: (trx: StateDb) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
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
  const result = await db.transaction().execute(async (trx) => {
    const done = await work(trx);
    passes(`${name}:before-commit`);
    return done;
  });
  passes(`${name}:after-commit`);
  return result;
}
