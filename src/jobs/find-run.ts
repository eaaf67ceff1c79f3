import { type AppDeps, open } from '../app.ts';
import type { Settings } from '../config/settings.ts';
import type { RunRecord } from '../schedule/left-behind.ts';
import { hasState } from '../state-path.ts';
import { pastRun } from '../store/run-history.ts';

/** What the record of a run says of it; undefined where there is none. */
export async function findRun(
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log'>,
  id: number,
): Promise<RunRecord | undefined> {
  if (!hasState(settings)) return undefined;
  const run = await open(settings, deps, { what: 'state' }, ({ state }) => pastRun(state.db, BigInt(id)));
  if (run === undefined) return undefined;
  return {
    id,
    isDone: run.state === 'done',
    counts: {
      accounts: Number(run.accounts),
      rows_read: Number(run.rowsRead),
      budget_changes: Number(run.budgetChanges),
      messages_sent: Number(run.messagesSent),
      failures: Number(run.failures),
    },
  };
}
