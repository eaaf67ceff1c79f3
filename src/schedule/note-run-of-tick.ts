import { existsSync } from 'node:fs';
import { withDatabase } from '../store/sqlite/open-database.ts';
import { openScheduleFile, schedulePath } from './schedule-file.ts';
import { noteRun } from './tick-table.ts';

/**
 * Links the tick to the run. Works even if the scheduler has ended. Never throws, because the run is more important
 * than this link.
 */
export function noteRunOfTick(dataDir: string, tick: string, runId: bigint): void {
  const [id, token] = tick.split('.').map(Number);
  const path = schedulePath(dataDir);
  if (id === undefined || token === undefined || !existsSync(path)) return;
  try {
    withDatabase(openScheduleFile(path), (file) => noteRun(file, id, token, Number(runId)));
  } catch {
    // The disk is full or the file was moved. The run continues without the link.
  }
}
