import type { StateFile } from './open-state.ts';
import { pastRuns } from './run-history.ts';

/** What a state file knows of, for a person who chooses between two. */
export interface StateSummary {
  /** The newest run; undefined where there was none. */
  readonly run: { readonly id: bigint; readonly startedAt: string } | undefined;
  /** Messages that wait to be sent. */
  readonly waiting: number;
  /** Messages that were sent at least once, whatever became of them. */
  readonly sent: number;
  /** The codes of proposals that wait for an answer. */
  readonly codes: readonly string[];
}

export async function summariseState({ db }: Pick<StateFile, 'db'>): Promise<StateSummary> {
  const [run] = await pastRuns(db, { limit: 1 });
  const { waiting } = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<bigint>().as('waiting'))
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  const { sent } = await db
    .selectFrom('message')
    .select(({ fn }) => fn.countAll<bigint>().as('sent'))
    .where('requested_at', 'is not', null)
    .executeTakeFirstOrThrow();
  const open = await db.selectFrom('budget_proposal').select('code').where('state', '=', 'open').execute();
  return {
    run: run && { id: run.id, startedAt: run.startedAt },
    waiting: Number(waiting),
    sent: Number(sent),
    codes: open.map(({ code }) => code),
  };
}
