import type { StateDb } from '../record-store.ts';
import { type PastRun, pastRuns } from './run-history.ts';

export interface RunProgress extends Pick<PastRun, 'id' | 'command' | 'state' | 'startedAt'> {
  /** Number of planned slices. A slice that was cut counts as its parts. */
  readonly slices: number;
  readonly slicesRead: number;
  readonly rowsRead: bigint;
}

/** The newest run. Undefined before the first run. */
export async function newestProgress(db: StateDb): Promise<RunProgress | undefined> {
  const [run] = await pastRuns(db, { limit: 1 });
  if (run === undefined) return undefined;
  const states = await db
    .selectFrom('slice')
    .select(({ fn }) => ['state', fn.countAll<bigint>().as('slices'), fn.sum<bigint>('rows').as('rows')])
    .where('runId', '=', run.id)
    .where('state', '<>', 'cut')
    .groupBy('state')
    .execute();
  const { id, command, state, startedAt } = run;
  const slices = states.reduce((sum, one) => sum + Number(one.slices), 0);
  const planned = states.find((one) => one.state === 'planned');
  const rowsRead = states.reduce((sum, one) => sum + one.rows, 0n);
  return { id, command, state, startedAt, slices, slicesRead: slices - Number(planned?.slices ?? 0n), rowsRead };
}
