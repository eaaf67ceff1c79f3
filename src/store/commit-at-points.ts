import type { Transaction } from 'kysely';
import type { StateFile } from './open-state.ts';
import type { StateSchema } from './state-schema.ts';

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
