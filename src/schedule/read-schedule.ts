import { existsSync } from 'node:fs';
import { knownJobs } from './known-jobs.ts';
import { leaseHolder } from './lease.ts';
import { openScheduleToRead, type ScheduleFile, schedulePath, versionOf } from './schedule-file.ts';
import { lastTick } from './tick-table.ts';

/** What the schedule of a data folder has come to. */
export type ScheduleReading = NonNullable<ReturnType<typeof readSchedule>>;

/** Reads beside whoever keeps the schedule; undefined where there was never one. Throws `InputError` for an unusable file. */
export function readSchedule(dataDir: string) {
  const path = schedulePath(dataDir);
  if (!existsSync(path)) return undefined;
  const file = openScheduleToRead(path);
  try {
    // Made and not filled yet.
    if (versionOf(file) === 0) return undefined;
    const read = file.transaction(() => ({
      /** Who holds the lease, expired or not (see `isFresh`); undefined for nobody. */
      holder: leaseHolder(file),
      jobs: [...knownJobs(file)].map(([name, { sinceMs }]) => ({
        name,
        /** What was due before is nobody's business. */
        sinceMs,
        lastRun: lastTick(file, name, 'begun'),
        lastTick: lastTick(file, name, 'any'),
      })),
    }));
    return read();
  } finally {
    file.close();
  }
}

/** How many due times have come to an end or to a run, and the highest number of a run; none where that cannot be read. */
export function completedTicks(dataDir: string): { readonly count: number; readonly lastRun: bigint } {
  const none = { count: 0, lastRun: 0n };
  const path = schedulePath(dataDir);
  if (!existsSync(path)) return none;
  let file: ScheduleFile | undefined;
  try {
    file = openScheduleToRead(path);
    const row = file.prepare<[], { count: number; lastRun: number }>(COMPLETED).get();
    return row === undefined ? none : { count: row.count, lastRun: BigInt(row.lastRun) };
  } catch {
    return none;
  } finally {
    file?.close();
  }
}

const COMPLETED = `SELECT count(*) AS count, coalesce(max(run_id), 0) AS lastRun FROM tick
  WHERE state = 'done' OR run_id IS NOT NULL`;
