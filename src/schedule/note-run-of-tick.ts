import { existsSync } from 'node:fs';
import { openScheduleFile, schedulePath } from './schedule-file.ts';
import { noteRun } from './tick-table.ts';

/**
 * Writes down that a run is the one of a due time, also when the process that began it has ended meanwhile. Never throws: the
 * run itself is worth more than its number in the record of the schedule.
 */
export function noteRunOfTick(dataDir: string, tick: string, runId: bigint): void {
  const [id, token] = tick.split('.').map(Number);
  const path = schedulePath(dataDir);
  if (id === undefined || token === undefined || !existsSync(path)) return;
  try {
    const file = openScheduleFile(path);
    try {
      noteRun(file, id, token, Number(runId));
    } finally {
      file.close();
    }
  } catch {
    // The disk is full, or the file was moved away: the run goes on without a due time.
  }
}
