import { dueBetween } from '../../language/due-times.ts';
import { fenced, renewLease } from './lease.ts';
import { type DueDecision, decideDue, isLate, type PlannedJob, readsDays } from './planned-job.ts';
import type { ScheduleFile } from './schedule-file.ts';
import {
  claimTick,
  declineOwed,
  declineRetries,
  forgetMissedAfter,
  knownJobs,
  lastPassMs,
  owedTicks,
  recordedDue,
  recordJobs,
  recordPass,
  reopenTick,
  type Tick,
  turnBack,
  waitingTicks,
} from './tick-table.ts';

export interface Claim<Job extends PlannedJob> {
  readonly tickId: number;
  readonly job: Job;
  readonly dueMs: number;
  readonly reason: string | undefined;
}

export interface ClaimDeps<Job extends PlannedJob> {
  readonly file: ScheduleFile;
  readonly token: number;
  readonly isMissing: (job: Job) => Promise<boolean>;
  /** False if the schedule of another machine has this due time. */
  readonly isOurs: (job: Job, dueMs: number) => Promise<boolean>;
  /** Returns the due time (milliseconds) of the run that waits or is in progress. Undefined without such a run. */
  readonly busyWithMs: (name: string) => number | undefined;
  readonly onMissed: (job: { readonly name: string }, missed: readonly DueDecision[]) => void;
}

/** Due times older than this count only if no newer due time exists. */
const LOOK_BACK_MS = 31 * 86_400_000;

/** Limits the attempts of an interrupted job, because the job itself may crash the process. */
const ATTEMPTS_MAX = 3;

/**
 * Returns jobs to start and records missed due times. Each due time should run once, even if this process dies. So a
 * due time is committed as `waiting` here, and as `running` before its process begins. A `waiting` one was never
 * started, so the next scheduler starts it. A `running` one may still have its process, so this process is looked for
 * first. The questions between the two transactions can take long. So the second transaction checks the lease again.
 * Only it moves on the time up to which due times were seen. If the process dies before it, the next pass finds the
 * same due times. Throws `LeaseLostError` if another process has the lease.
 */
export async function claimDue<Job extends PlannedJob>(
  deps: ClaimDeps<Job>,
  jobs: readonly Job[],
  nowMs: number,
): Promise<Claim<Job>[]> {
  const { file, token } = deps;
  const { passedMs, dropped } = fenced(file, token, () => {
    renewLease(file, nowMs);
    const dropped = recordJobs(file, jobs, nowMs);
    const before = lastPassMs(file) ?? nowMs;
    if (nowMs >= before) return { passedMs: before, dropped };
    forgetMissedAfter(file, nowMs);
    turnBack(file, nowMs);
    return { passedMs: nowMs, dropped };
  });
  for (const { name, missed } of dropped) deps.onMissed({ name }, missed);
  const known = knownJobs(file);
  const waiting = waitingTicks(file);
  const decided: { readonly job: Job; readonly decisions: readonly DueDecision[] }[] = [];
  for (const job of jobs) {
    const fromMs = Math.max(passedMs, known.get(job.name)?.sinceMs ?? nowMs);
    const busyWithMs = deps.busyWithMs(job.name);
    // An earlier process planned these runs, but ended before it started them.
    const owed = waiting.filter((tick) => tick.job === job.name).map(({ dueAt }) => Date.parse(dueAt));
    const left = owed.filter((dueMs) => dueMs !== busyWithMs);
    const passed = dueSince(job, fromMs, nowMs);
    const recorded = passed.length === 0 ? undefined : recordedDue(file, job.name, fromMs, nowMs);
    const fresh = passed.filter((dueMs) => !recorded?.has(dueMs));
    const dueMs = [...left, ...fresh].sort((a, b) => a - b);
    const newest = dueMs.at(-1);
    if (newest === undefined) continue;
    const isAsked = busyWithMs === undefined && readsDays(job) && isLate(newest, nowMs);
    const days = isAsked ? ((await deps.isMissing(job)) ? 'missing' : 'complete') : 'unasked';
    const decisions = decideDue({ dueMs, busyWithMs, days }, nowMs);
    const isTaken = decisions.at(-1)?.kind === 'run' && !left.includes(newest) && !(await deps.isOurs(job, newest));
    decided.push({ job, decisions: isTaken ? dueMs.map(elsewhere) : decisions });
  }
  const owed = owedTicks(file, nowMs);
  const interrupted = jobs
    .filter((job) => deps.busyWithMs(job.name) === undefined && !runs(decided, job))
    .flatMap((job) => interruptedTick(owed, job, nowMs));
  const claims = fenced(file, token, () => {
    const claims = decided.flatMap(({ job, decisions }) =>
      decisions.flatMap(({ dueMs, kind, reason }): Claim<Job>[] => {
        const about = { job: job.name, dueMs, reason, token };
        const tickId = claimTick(file, about, kind === 'run' ? 'waiting' : 'missed');
        return kind === 'run' ? [{ tickId, job, dueMs, reason }] : [];
      }),
    );
    for (const { job } of decided) declineRetries(file, job.name);
    for (const { job, tick, reason } of interrupted) {
      reopenTick(file, tick.id, reason, token);
      claims.push({ tickId: tick.id, job, dueMs: Date.parse(tick.dueAt), reason });
    }
    declineOwed(file, nowMs);
    recordPass(file, nowMs);
    return claims;
  });
  for (const { job, decisions } of decided) {
    const missed = decisions.filter(({ kind }) => kind === 'missed');
    if (missed.length > 0) deps.onMissed(job, missed);
  }
  return claims;
}

function elsewhere(dueMs: number): DueDecision {
  return { dueMs, kind: 'missed', reason: 'the schedule of another machine has it' };
}

/** Sorts by due time, then by the order in the settings. */
export function sortClaims<Job extends PlannedJob>(claims: readonly Claim<Job>[], jobs: readonly Job[]): Claim<Job>[] {
  const placeOf = ({ job }: Claim<Job>) => jobs.findIndex(({ name }) => name === job.name);
  return claims.toSorted((a, b) => a.dueMs - b.dueMs || placeOf(a) - placeOf(b));
}

function runs<Job>(
  decided: readonly { readonly job: Job; readonly decisions: readonly DueDecision[] }[],
  job: Job,
): boolean {
  return decided.some((one) => one.job === job && one.decisions.some(({ kind }) => kind === 'run'));
}

function interruptedTick<Job extends PlannedJob>(
  owed: readonly Tick[],
  job: Job,
  nowMs: number,
): { readonly job: Job; readonly tick: Tick; readonly reason: string }[] {
  const tick = owed.find((one) => one.job === job.name && Date.parse(one.dueAt) <= nowMs);
  if (tick === undefined || (tick.state !== 'failed' && tick.attempts >= ATTEMPTS_MAX)) return [];
  const happened = { died: 'its process died', failed: 'it failed' }[tick.state as string] ?? 'it was stopped';
  return [{ job, tick, reason: `${happened}, so it runs again` }];
}

function dueSince(job: PlannedJob, fromMs: number, nowMs: number): number[] {
  const near = dueBetween(job, Math.max(fromMs, nowMs - LOOK_BACK_MS), nowMs);
  if (near.length > 0 || nowMs - fromMs <= LOOK_BACK_MS) return near;
  return dueBetween(job, fromMs, nowMs).slice(-1);
}
