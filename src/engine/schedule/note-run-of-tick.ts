import { existsSync } from 'node:fs';
import { withDatabase } from '../../storage/records/sqlite/open-database.ts';
import { openScheduleFile, schedulePath } from './schedule-file.ts';
import { noteRun } from './tick-table.ts';

/** Never throws, because the run is more important than this note. */
export function noteRunOfTick(dataDir: string, tick: string, runId: bigint): void {
  const [id, token] = tick.split('.').map(Number);
  const path = schedulePath(dataDir);
  if (id === undefined || token === undefined || !existsSync(path)) return;
  try {
    withDatabase(openScheduleFile(path), (file) => noteRun(file, id, token, Number(runId)));
  } catch {
    // The disk may be full. The run continues without the note.
  }
}
