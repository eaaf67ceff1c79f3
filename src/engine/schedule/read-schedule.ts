import { existsSync } from 'node:fs';
import { withDatabase } from '../../storage/records/sqlite/open-database.ts';
import { leaseHolder } from './lease.ts';
import { openScheduleToRead, schedulePath, versionOf } from './schedule-file.ts';
import { knownJobs, lastTick } from './tick-table.ts';

export type ScheduleReading = NonNullable<ReturnType<typeof readSchedule>>;

/** Returns undefined if there is no schedule. Throws `InputError` if the file is unusable. */
export function readSchedule(dataDir: string) {
  const path = schedulePath(dataDir);
  if (!existsSync(path)) return undefined;
  return withDatabase(openScheduleToRead(path), (file) => {
    if (versionOf(file) === 0) return undefined;
    const read = file.transaction(() => ({
      holder: leaseHolder(file),
      jobs: [...knownJobs(file)].map(([name, { sinceMs }]) => ({
        name,
        /** Milliseconds. Only due times after `sinceMs` count. */
        sinceMs,
        lastRun: lastTick(file, name, 'begun'),
        lastTick: lastTick(file, name, 'any'),
      })),
    }));
    return read();
  });
}

/**
 * Jobs that recorded a run, and the highest run id. Both are 0 if the file is missing or unreadable. Other jobs leave
 * nothing that a later run could repeat.
 */
export function recordedRuns(dataDir: string): { readonly count: number; readonly lastRun: bigint } {
  const none = { count: 0, lastRun: 0n };
  const path = schedulePath(dataDir);
  if (!existsSync(path)) return none;
  try {
    return withDatabase(openScheduleToRead(path), (file) => {
      const row = file.prepare<[], { count: number; lastRun: number }>(RECORDED).get();
      return row === undefined ? none : { count: row.count, lastRun: BigInt(row.lastRun) };
    });
  } catch {
    return none;
  }
}

const RECORDED = 'SELECT count(run_id) AS count, coalesce(max(run_id), 0) AS lastRun FROM tick';
