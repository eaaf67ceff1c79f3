import type { Clock } from '../domain/ports.ts';
import type { Claim } from './claim-due.ts';
import { fenced } from './lease.ts';
import type { PlannedJob } from './planned-job.ts';
import type { ScheduleFile } from './schedule-file.ts';
import type { ProcessIdentity } from './this-process.ts';
import { buryTick, endTick, leftRunning, type TickEnd } from './tick-table.ts';

/** What the record of a run says of it. */
export interface RunRecord {
  readonly id: number;
  readonly isDone: boolean;
  /** How much was read, changed and sent, by what it is. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface EndedTick<Job extends PlannedJob> extends TickEnd {
  readonly claim: Claim<Job>;
  /** Undefined for a job that records none, and for one that did not come so far. */
  readonly run: RunRecord | undefined;
  readonly startedMs: number;
}

export interface LeftBehindDeps<Job extends PlannedJob> {
  readonly file: ScheduleFile;
  readonly token: number;
  readonly clock: Clock;
  readonly jobs: () => readonly Job[];
  /** Whether the process is proven to be there still. */
  readonly isAlive: (child: ProcessIdentity) => boolean;
  readonly findRun: (runId: number) => Promise<RunRecord | undefined>;
  readonly onEnd: (ended: EndedTick<Job>) => void;
}

/** A job of an earlier holder of the lease that has outlived it. */
export interface LeftBehind<Job extends PlannedJob> {
  readonly claim: Claim<Job>;
  readonly child: ProcessIdentity;
}

/**
 * Looks at what runs by the record of an earlier holder of the lease, and answers with what does run, to be waited for:
 * begun again it would run twice. What has ended is done if its run says so, else it has died and is owed.
 */
export async function lookAtLeft<Job extends PlannedJob>(deps: LeftBehindDeps<Job>): Promise<LeftBehind<Job>[]> {
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
    fenced(file, token, () => (run?.isDone ? endTick(file, tickId, end) : buryTick(file, tickId, end.endedMs)));
    if (claim && run?.isDone) deps.onEnd({ ...end, claim, run, startedMs: Date.parse(tick.startedAt ?? '') });
  }
  return alive;
}
