import type { Claim } from '../../src/engine/schedule/claim-due.ts';
import {
  createDaemon,
  type Daemon,
  type DaemonDeps,
  type EndedTick,
  type RunRecord,
} from '../../src/engine/schedule/daemon.ts';
import { takeLease } from '../../src/engine/schedule/lease.ts';
import type { PlannedJob } from '../../src/engine/schedule/planned-job.ts';
import { openScheduleFile, type ScheduleFile } from '../../src/engine/schedule/schedule-file.ts';
import type { ProcessIdentity } from '../../src/engine/schedule/this-process.ts';

/** A job that was begun and ends when the test says so. */
export interface FakeChild {
  readonly name: string;
  readonly job: PlannedJob;
  readonly tickId: number;
  readonly startedMs: number;
  readonly signals: string[];
  end(exitCode: number | null): Promise<void>;
}

/** A schedule in virtual time, whose file outlives its daemons. */
export interface ScheduleWorld {
  readonly file: ScheduleFile;
  jobs: readonly PlannedJob[];
  nowMs: number;
  /** Asked of a job that is late. */
  isMissing: (job: PlannedJob) => boolean;
  /** Those that have not ended, oldest first. */
  readonly going: FakeChild[];
  /** What the daemon told, in its words. */
  readonly told: string[];
  readonly ended: EndedTick<PlannedJob>[];
  daemon: Daemon;
  /** A new process takes the lease, as soon as the one before is gone; what that has begun goes on, if nothing ends it. */
  restart(): void;
  /** The process is gone with what it has begun. */
  kill(): void;
  /** By the number of the run, what its record says. */
  readonly runs: Map<number, RunRecord>;
  at(instant: string): Promise<void>;
  ticks(): string[];
}

/** Lets everything happen that waits for nothing but its turn. */
export const settle = () => new Promise<void>((done) => setImmediate(done));

export const identity = (pid: number, host = 'alpha'): ProcessIdentity => ({
  pid,
  host,
  place: `${host} boot namespace`,
  birth: String(pid * 100),
});

export function scheduleWorld(
  start: string,
  jobs: readonly PlannedJob[],
  other: Partial<DaemonDeps<PlannedJob>> = {},
  file = openScheduleFile(':memory:'),
): ScheduleWorld {
  let pid = 0;
  let childPid = 1000;
  const going: FakeChild[] = [];
  const told: string[] = [];
  const ended: EndedTick<PlannedJob>[] = [];
  const alive = new Set<number>();
  const runs = new Map<number, RunRecord>();
  const startChild = ({ job, tickId }: Claim<PlannedJob>) => {
    childPid += 1;
    const own = identity(childPid);
    alive.add(own.pid);
    let resolve = (_: number | null): void => undefined;
    const done = new Promise<number | null>((end) => {
      resolve = end;
    });
    const child: FakeChild = {
      name: job.name,
      job,
      tickId,
      startedMs: world.nowMs,
      signals: [],
      async end(exitCode) {
        alive.delete(own.pid);
        if (going.includes(child)) going.splice(going.indexOf(child), 1);
        resolve(exitCode);
        await settle();
      },
    };
    going.push(child);
    return { ended: done, process: own, stop: (signal: string) => void child.signals.push(signal) };
  };
  const newDaemon = (): Daemon => {
    pid += 1;
    const lease = takeLease(file, identity(pid), () => 'gone', world.nowMs);
    if (lease.kind === 'held') throw new Error('Nobody else holds it here.');
    return createDaemon<PlannedJob>({
      file,
      token: lease.token,
      clock: { now: () => world.nowMs },
      pauseUnless: (signal) => new Promise((over) => signal.addEventListener('abort', () => over())),
      jobs: () => world.jobs,
      start: startChild,
      isMissing: async (job) => world.isMissing(job),
      isOurs: async () => true,
      isAlive: (child) => alive.has(child.pid),
      findRun: async (id) => runs.get(id),
      onLeft: ({ claim }) => told.push(`${claim.job.name} still runs`),
      onMissed: (job, missed) => told.push(`${job.name} missed ${missed.length}`),
      onStart: ({ job }) => told.push(`${job.name} begins`),
      onEnd: (tick) => ended.push(tick),
      onTrouble: (error) => told.push(`trouble: ${error instanceof Error ? error.message : error}`),
      ...other,
    });
  };
  const world: ScheduleWorld = {
    file,
    jobs,
    nowMs: Date.parse(start),
    isMissing: () => true,
    going,
    told,
    ended,
    runs,
    daemon: undefined as unknown as Daemon,
    restart() {
      world.daemon = newDaemon();
    },
    kill() {
      going.length = 0;
      alive.clear();
    },

    async at(instant) {
      world.nowMs = Date.parse(instant);
      await world.daemon.pass();
      await settle();
    },
    ticks: () =>
      (
        file
          .prepare("SELECT job || ' ' || substr(due_at, 6, 11) || ' ' || state AS line FROM tick ORDER BY due_at, id")
          .pluck()
          .all() as string[]
      ).map((line) => line.replace('T', ' ')),
  };
  world.restart();
  return world;
}

export const REPORT: PlannedJob = { name: 'report', cron: '30 5 * * *', timeZone: 'UTC', job: 'report' };
export const HOURLY: PlannedJob = { name: 'hourly', cron: '0 * * * *', timeZone: 'UTC', job: 'extract' };
export const DELIVER: PlannedJob = { name: 'deliver', cron: '0 * * * *', timeZone: 'UTC', job: 'deliver' };

/** A daemon that has made its first pass, so that it knows its jobs. */
export async function knownWorld(jobs: readonly PlannedJob[], start = '2026-11-20T04:10:00Z'): Promise<ScheduleWorld> {
  const made = scheduleWorld(start, jobs);
  await made.daemon.pass();
  return made;
}

export const names = ({ going }: ScheduleWorld) => going.map(({ name }) => name);
export const reasons = ({ file }: ScheduleWorld) =>
  file.prepare('SELECT reason FROM tick ORDER BY due_at, id').pluck().all();
