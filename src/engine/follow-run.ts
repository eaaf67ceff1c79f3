import type { BusyError } from '../domain/errors.ts';
import type { StateDb } from '../storage/records/record-store.ts';
import { pastRun, pastRuns } from '../storage/records/runs/run-history.ts';
import type { App } from './app.ts';
import { type Engine, engineOf } from './folder/engine.ts';
import { isRun, PAUSE_MS } from './folder/take-folder.ts';

/**
 * Waits until the run that holds the run lock ends, and returns its exit code. Undefined if it ended before its record was
 * seen. Throws `busy` if the holder is no run, and after a stop.
 */
export async function followRun(
  { settings, log, pauses, stop }: Pick<App, 'settings' | 'log' | 'pauses' | 'stop'>,
  busy: BusyError,
): Promise<0 | 1 | undefined> {
  const { since, holder } = busy.by;
  if (since === undefined || !isRun(busy.by)) throw busy;
  const engine = await engineOf(settings);
  let id: bigint | undefined;
  for (;;) {
    const newest = await look(engine, async (db) => (await pastRuns(db, { limit: 1 }))[0]);
    if (!(await engine.isLockedSince(since))) break;
    // The holder took the lock before its run began, so an older run is of another process.
    if (newest !== undefined && newest.startedAt >= since && newest.id !== id) {
      id = newest.id;
      log.with({ run: id }).info(`Following run ${id} (${holder}) instead of starting another.`);
    }
    if (stop.aborted) throw busy;
    await pauses.pause(PAUSE_MS, stop);
  }
  if (id === undefined) return undefined;
  const run = await look(engine, (db) => pastRun(db, id));
  if (run === undefined) return undefined;
  if (run.state === 'done') return 0;
  // The next run marks it as died.
  const isDead = run.state === 'running' || run.state === 'died';
  const words = isDead ? 'died: its process ended before the run was complete' : run.state;
  log.with({ run: id }).warn(`Run ${id} ${words}. To see the last runs, run pacekeeper status.`);
  return 1;
}

async function look<Value>(engine: Engine, read: (db: StateDb) => Promise<Value>): Promise<Value | undefined> {
  if (!(await engine.hasRecords())) return undefined;
  const state = await engine.open({ readOnly: true });
  try {
    return await read(state.db);
  } finally {
    await state.close();
  }
}
