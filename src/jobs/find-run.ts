import { type AppDeps, besideState } from '../app.ts';
import type { Settings } from '../config/settings.ts';
import type { RunFacts } from '../schedule/left-behind.ts';
import { hasState } from '../state-path.ts';
import { runFacts } from '../store/run-table.ts';

/** What the record of a run says of it; undefined where there is none. */
export async function findRun(
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log'>,
  id: number,
): Promise<RunFacts | undefined> {
  if (!hasState(settings)) return undefined;
  const run = await besideState(settings, deps, ({ state }) => runFacts(state.db, BigInt(id)));
  if (run === undefined) return undefined;
  const { state, ...counts } = run;
  const known = Object.entries(counts).map(([name, count]) => [name, Number(count ?? 0n)] as const);
  return { id, isDone: state === 'done', counts: Object.fromEntries(known) };
}
