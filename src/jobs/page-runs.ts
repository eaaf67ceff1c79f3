import type { LastRun } from '../page/report-facts.ts';
import type { StateDb } from '../store/open-state.ts';
import { pastRuns } from '../store/run-history.ts';
import type { Redact } from './page-decisions.ts';

/** The newest report; before the first the newest run of any other command, and undefined before that. */
export async function lastRunOf(db: StateDb, redact: Redact): Promise<LastRun | undefined> {
  const [report] = await pastRuns(db, { command: 'report', limit: 1 });
  const [run] = report ? [report] : await pastRuns(db, { limit: 1 });
  if (run === undefined) return undefined;
  const { error, ...ran } = run;
  return { ...ran, failures: error?.split('\n').map(redact) ?? [] };
}
