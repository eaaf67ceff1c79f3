import { existsSync } from 'node:fs';
import { withDatabase } from '../store/sqlite/open-database.ts';
import { openScheduleFile, schedulePath } from './schedule-file.ts';
import { noteRun } from './tick-table.ts';

/** Also works after the scheduler has ended. Never throws: the run matters more than its due time. */
export function noteRunOfTick(dataDir: string, tick: string, runId: bigint): void {
  const [id, token] = tick.split('.').map(Number);
  const path = schedulePath(dataDir);
  if (id === undefined || token === undefined || !existsSync(path)) return;
  try {
    withDatabase(openScheduleFile(path), (file) => noteRun(file, id, token, Number(runId)));
  } catch {
    // The disk is full or the file was moved. The run continues without a due time.
  }
}
