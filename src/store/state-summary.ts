import type { StateFile } from './open-state.ts';
import { pastRuns } from './run-history.ts';

/** What a state file knows of, for a person who chooses a copy. */
export interface StateSummary {
  /** The newest run; undefined where there was none. */
  readonly run: { readonly id: bigint; readonly startedAt: string } | undefined;
  /** Messages that wait to be sent. */
  readonly waiting: number;
}

export async function summariseState({ db }: Pick<StateFile, 'db'>): Promise<StateSummary> {
  const [run] = await pastRuns(db, { limit: 1 });
  const { waiting } = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<bigint>().as('waiting'))
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  return { run: run && { id: run.id, startedAt: run.startedAt }, waiting: Number(waiting) };
}
