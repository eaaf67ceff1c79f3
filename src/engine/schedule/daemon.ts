import type { Clock } from '../../domain/ports.ts';
import { nextDue } from '../../language/due-times.ts';
import { type Claim, type ClaimDeps, claimDue, sortClaims } from './claim-due.ts';
import { fenced, LeaseLostError, releaseLease, renewLease } from './lease.ts';
import { fingerprintOf, laneOf, nextRetry, type PlannedJob } from './planned-job.ts';
import { isMoved, type ScheduleFile } from './schedule-file.ts';
import type { ProcessIdentity } from './this-process.ts';
import {
  beginTick,
  CHANGED,
  endTick,
  forgetOld,
  GONE,
  leftRunning,
  markTickLost,
  missWaiting,
  noteChild,
  type TickEnd,
  tickById,
} from './tick-table.ts';

export interface RunRecord {
  readonly id: number;
  readonly isDone: boolean;
  /** True if at least one account did not fail. */
  readonly isPartial: boolean;
  readonly counts: Readonly<Record<string, number>>;
}

export interface EndedTick<Job extends PlannedJob> extends TickEnd {
  readonly claim: Claim<Job>;
  /** Undefined if the job did not record a run. */
  readonly run: RunRecord | undefined;
  readonly startedMs: number;
}

interface LeftBehindDeps<Job extends PlannedJob> {
  readonly file: ScheduleFile;
  readonly token: number;
  readonly clock: Clock;
  readonly jobs: () => readonly Job[];
  readonly isAlive: (child: ProcessIdentity) => boolean;
  readonly findRun: (runId: number) => Promise<RunRecord | undefined>;
  readonly onEnd: (ended: EndedTick<Job>) => void;
}

/** A job that still runs, although its scheduler has ended. */
export interface LeftBehind<Job extends PlannedJob> {
  readonly claim: Claim<Job>;
  readonly child: ProcessIdentity;
}

/** Returns jobs that still run after their scheduler ended. Starting such a job again would run the job twice. */
async function lookAtLeft<Job extends PlannedJob>(deps: LeftBehindDeps<Job>): Promise<LeftBehind<Job>[]> {
  const { file, token, clock } = deps;
  const alive: LeftBehind<Job>[] = [];
  for (const tick of leftRunning(file, token)) {
    const { id: tickId, child, reason } = tick;
    const job = deps.jobs().find(({ name }) => name === tick.job);
    const claim = job && { tickId, job, dueMs: Date.parse(tick.dueAt), reason };
    if (child && deps.isAlive(child)) {
      if (claim) alive.push({ claim, child });
      continue;
    }
    const run = tick.runId === undefined ? undefined : await deps.findRun(tick.runId).catch(() => undefined);
    const end = { state: 'done', endedMs: clock.now(), exitCode: 0 } as const;
    fenced(file, token, () => (run?.isDone ? endTick(file, tickId, end) : markTickLost(file, tickId, end.endedMs)));
    if (claim && run?.isDone) deps.onEnd({ ...end, claim, run, startedMs: Date.parse(tick.startedAt ?? '') });
  }
  return alive;
}

export interface RunningJob {
  /** The exit code. Null if the job was killed or could not be started. */
  readonly ended: Promise<number | null>;
  /** Undefined if the job could not be started. */
  readonly process: ProcessIdentity | undefined;
  stop(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export interface DaemonDeps<Job extends PlannedJob> extends LeftBehindDeps<Job> {
  readonly clock: Clock;
  readonly pauseUnless: (signal: AbortSignal, milliseconds: number) => Promise<void>;
  readonly start: (claim: Claim<Job>) => RunningJob;
  readonly isMissing: ClaimDeps<Job>['isMissing'];
  readonly isOurs: ClaimDeps<Job>['isOurs'];
  readonly onMissed: ClaimDeps<Job>['onMissed'];
  readonly onStart: (claim: Claim<Job>) => void;
  readonly onLeft: (left: LeftBehind<Job>) => void;
  /** Called for each error, except a lost lease. The scheduler then continues. */
  readonly onTrouble: (error: unknown) => void;
}

/** While no job is due, the scheduler writes to the disk only once in this time. */
const QUIET_MS = 30_000;
const PRUNED_MS = 86_400_000;

/** Some service managers kill a process after 30 seconds, so `STOP_MS` and `KILLED_MS` together are shorter. */
export const STOP_MS = 20_000;
const KILLED_MS = 5000;

export type Daemon = ReturnType<typeof createDaemon>;

export function createDaemon<Job extends PlannedJob>(deps: DaemonDeps<Job>) {
  const { file, token, clock } = deps;
  let waiting: readonly Claim<Job>[] = [];
  const going = new Map<string, { readonly claim: Claim<Job>; readonly child: RunningJob | undefined }>();
  let left: readonly LeftBehind<Job>[] = [];
  const unwritten: (() => void)[] = [];
  const works = new Set<Promise<void>>();
  let isStopping = false;
  let prunedMs = Number.NEGATIVE_INFINITY;
  let passing: Promise<void> | undefined;
  let quiet: { readonly untilMs: number; readonly fromMs: number; readonly jobs: readonly Job[] } | undefined;
  let onLost = (_: 'taken' | 'moved'): void => undefined;
  const lost = new Promise<'taken' | 'moved'>((resolve) => {
    onLost = resolve;
  });

  const guarded = <Result>(work: () => Result): Result | undefined => {
    try {
      return work();
    } catch (error) {
      tell(error);
      return undefined;
    }
  };
  const tell = (error: unknown): void => {
    if (isOver(error)) {
      isStopping = true;
      onLost(error instanceof LeaseLostError ? 'taken' : 'moved');
    } else {
      deps.onTrouble(error);
    }
  };
  const write = (work: () => void): void => {
    try {
      fenced(file, token, work);
    } catch (error) {
      tell(error);
      if (!isOver(error)) unwritten.push(work);
    }
  };
  const writeAgain = (): void => {
    for (const work of unwritten.splice(0)) write(work);
  };
  const busyWithMs = (name: string): number | undefined => {
    const running = [...going.values(), ...left].map(({ claim }) => claim);
    return [...waiting, ...running].find(({ job }) => job.name === name)?.dueMs;
  };

  /** Returns the job with its current settings. Undefined if the job was removed or rescheduled. */
  const nowOf = ({ job }: Claim<Job>): Job | undefined =>
    deps.jobs().find((now) => now.name === job.name && fingerprintOf(now) === fingerprintOf(job));
  const drop = ({ job, dueMs }: Claim<Job>): void => {
    const reason = deps.jobs().some(({ name }) => name === job.name) ? CHANGED : GONE;
    write(() => missWaiting(file, job.name, reason));
    deps.onMissed(job, [{ dueMs, kind: 'missed', reason }]);
  };
  const startOf = (claim: Claim<Job>): { readonly child: RunningJob; readonly reason?: string } => {
    try {
      return { child: deps.start(claim) };
    } catch (error) {
      const reason = `start failed: ${error instanceof Error ? error.message : error}`;
      return { child: { ended: Promise.resolve(null), process: undefined, stop: () => undefined }, reason };
    }
  };
  const runOne = async (claim: Claim<Job>): Promise<void> => {
    const lane = laneOf(claim.job);
    going.set(lane, { claim, child: undefined });
    try {
      const startedMs = clock.now();
      // If this line fails, the scheduler tries to start the job again later.
      fenced(file, token, () => beginTick(file, claim.tickId, token, startedMs));
      deps.onStart(claim);
      const { child, reason } = startOf(claim);
      const identity = child.process;
      going.set(lane, { claim, child });
      if (identity) guarded(() => fenced(file, token, () => noteChild(file, claim.tickId, identity)));
      if (isStopping) child.stop('SIGTERM');
      const exitCode = await child.ended;
      const { runId, attempts = 0, firstAt = '' } = guarded(() => tickById(file, claim.tickId)) ?? {};
      const run = runId === undefined ? undefined : await deps.findRun(runId).catch(() => undefined);
      const unfinished = isStopping && reason === undefined ? 'stopped' : 'failed';
      const state = exitCode === 0 ? 'done' : unfinished;
      const endedMs = clock.now();
      const isAgain = state === 'failed' && !run?.isPartial;
      const retryMs = isAgain ? nextRetry(claim.job, attempts, Date.parse(firstAt), endedMs) : undefined;
      const end = { state, reason, endedMs, exitCode, retryMs } as const;
      write(() => endTick(file, claim.tickId, end));
      deps.onEnd({ ...end, claim, run, startedMs });
    } catch (error) {
      tell(error);
    } finally {
      going.delete(lane);
    }
  };
  const isTaken = (lane: string): boolean => going.has(lane) || left.some(({ claim }) => laneOf(claim.job) === lane);
  const work = (): void => {
    for (const claim of waiting) {
      if (isStopping || isTaken(laneOf(claim.job))) continue;
      waiting = waiting.filter((one) => one !== claim);
      const job = nowOf(claim);
      if (job === undefined) {
        drop(claim);
        continue;
      }
      const done: Promise<void> = runOne({ ...claim, job }).then(() => {
        works.delete(done);
        work();
      });
      works.add(done);
    }
  };
  const lookBack = async (): Promise<void> => {
    const before = left;
    left = await lookAtLeft(deps);
    if (left.length !== before.length) quiet = undefined;
    for (const one of left) if (!before.some(({ claim }) => claim.tickId === one.claim.tickId)) deps.onLeft(one);
  };
  const claimNow = async (): Promise<void> => {
    writeAgain();
    try {
      await lookBack();
      const jobs = deps.jobs();
      const nowMs = clock.now();
      if (quiet && quiet.jobs === jobs && nowMs >= quiet.fromMs && nowMs < quiet.untilMs) return;
      if (nowMs < prunedMs || nowMs - prunedMs >= PRUNED_MS) {
        fenced(file, token, () => forgetOld(file, nowMs));
        prunedMs = nowMs;
      }
      // Drops jobs that were removed or rescheduled.
      waiting = waiting.filter((claim) => nowOf(claim) !== undefined);
      const claims = await claimDue({ ...deps, busyWithMs }, jobs, nowMs);
      waiting = sortClaims([...waiting, ...claims], jobs);
      const nextMs = Math.min(...jobs.map((job) => nextDue(job, nowMs) ?? Number.POSITIVE_INFINITY));
      quiet = { jobs, fromMs: nowMs, untilMs: Math.min(nextMs, nowMs + QUIET_MS) };
    } catch (error) {
      quiet = undefined;
      tell(error);
    }
    work();
  };
  const endAll = async (): Promise<void> => {
    while (works.size > 0) await Promise.all(works);
  };
  const signalAll = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    for (const { child } of going.values()) child?.stop(signal);
  };
  const within = async (milliseconds: number): Promise<void> => {
    const over = new AbortController();
    await Promise.race([endAll(), deps.pauseUnless(over.signal, milliseconds)]);
    over.abort();
  };
  return {
    /** Why the scheduler lost its lease: `taken` by another process, or its file was `moved`. */
    lost,
    /** Renews the lease and starts due jobs. Never throws. */
    async pass(): Promise<void> {
      if (isStopping) return;
      passing ??= claimNow().finally(() => {
        passing = undefined;
      });
      await passing;
    },
    renew: (): void => guarded(() => fenced(file, token, () => renewLease(file, clock.now()))),
    idle: endAll,
    /** Ends all jobs of this scheduler, if necessary by force. */
    async stop(): Promise<void> {
      isStopping = true;
      waiting = [];
      signalAll('SIGTERM');
      await passing;
      await within(STOP_MS);
      signalAll('SIGKILL');
      await within(KILLED_MS);
      writeAgain();
      try {
        fenced(file, token, () => releaseLease(file));
      } catch (error) {
        // A lost lease needs no release.
        if (!isOver(error)) deps.onTrouble(error);
      }
    },
    kill: (): void => signalAll('SIGKILL'),
  };
}

function isOver(error: unknown): boolean {
  return error instanceof LeaseLostError || isMoved(error);
}
