import { type AppDeps, open } from '../../app.ts';
import type { ScheduledJob, Settings } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import { unreachable } from '../../domain/errors.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import type { Claim } from '../../engine/schedule/claim-due.ts';
import type { EndedTick, LeftBehind, RunRecord } from '../../engine/schedule/daemon.ts';
import type { DueDecision } from '../../engine/schedule/planned-job.ts';
import { nextDue } from '../../language/due-times.ts';
import { hasUnfailedAccount } from '../../storage/records/runs/run-account-table.ts';
import { pastRun } from '../../storage/records/runs/run-history.ts';
import { errorSentences } from '../cli/print-error.ts';
import type { WatchedSettings } from './watch-settings.ts';

export interface Progress {
  begun(claim: Claim<ScheduledJob>): void;
  ended(tick: EndedTick<ScheduledJob>): void;
  missed(job: { readonly name: string }, missed: readonly DueDecision[]): void;
  left(left: LeftBehind<ScheduledJob>): void;
  unreadable(job: ScheduledJob, error: unknown): void;
  /** Logs a repeated error only once. */
  trouble(error: unknown): void;
}

/** `watched.log` is read for each line, because changed settings can replace the log. */
export function tellProgress(watched: WatchedSettings): Progress {
  let lastTrouble = '';
  const of = ({ name }: { readonly name: string }) => watched.log.with({ job: name });
  return {
    begun({ job, dueMs, reason }) {
      of(job).info(`${job.name} starts, due at ${instantText(dueMs)}${reason === undefined ? '' : `: ${reason}`}.`);
    },
    ended({ claim: { job }, state, reason, exitCode, run, startedMs, endedMs, retryMs }) {
      const log = run === undefined ? of(job) : of(job).with({ run: BigInt(run.id) });
      const after = `after ${Math.max(0, Math.round((endedMs - startedMs) / 1000))} s`;
      const about = run === undefined ? after : `${after}, run ${run.id}`;
      const nextMs = nextDue(job, endedMs);
      const next = nextMs === undefined ? '' : `; next at ${instantText(nextMs)}`;
      switch (state) {
        case 'done':
          return log.info(`${job.name} is done ${about}${next}.`);
        case 'stopped':
          return log.info(`${job.name} was stopped ${about}. It resumes when the schedule starts again.`);
        case 'failed':
          return log.warn(
            `${job.name} failed (${reason ?? endOf(exitCode)}) ${about}${retryMs === undefined ? next : `; tried again at ${instantText(retryMs)}`}.`,
          );
        default:
          return unreachable(state);
      }
    },
    missed(job, missed) {
      const last = missed.at(-1);
      if (last === undefined) return;
      const times = missed.length === 1 ? instantText(last.dueMs) : spanOf(missed);
      of(job).warn(`${job.name} was not run at ${times}: ${last.reason ?? 'it was missed'}.`);
    },
    left({ claim: { job, dueMs }, child: { pid } }) {
      const run = `${job.name}, due at ${instantText(dueMs)},`;
      of(job).warn(`${run} still runs as process ${pid} of an earlier schedule. Waiting for its end.`);
    },
    unreadable(job, error) {
      of(job).warn(
        `${job.name} is late and runs now. pacekeeper could not find out which days are missing: ${errorSentences(error)}`,
      );
    },
    trouble(error) {
      const trouble = errorSentences(error);
      if (trouble === lastTrouble) return;
      lastTrouble = trouble;
      watched.log.warn(`The schedule had an error and continues: ${trouble}`);
    },
  };
}

function spanOf(missed: readonly DueDecision[]): string {
  const first = missed[0]?.dueMs ?? 0;
  const last = missed.at(-1)?.dueMs ?? 0;
  return `${missed.length} due times from ${instantText(first)} to ${instantText(last)}`;
}

function endOf(exitCode: number | null): string {
  return exitCode === null ? 'it was killed or could not be started' : `exit code ${exitCode}`;
}

export async function findRun(
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log'>,
  id: number,
): Promise<RunRecord | undefined> {
  if (!(await (await engineOf(settings)).hasRecords())) return undefined;
  const found = await open(settings, deps, { what: 'state' }, async ({ state: { db } }) => {
    const run = await pastRun(db, BigInt(id));
    return run && { run, isPartial: await hasUnfailedAccount(db, run.id) };
  });
  if (found === undefined) return undefined;
  const { run, isPartial } = found;
  return {
    id,
    isDone: run.state === 'done',
    isPartial,
    counts: {
      accounts: Number(run.accounts),
      rows_read: Number(run.rowsRead),
      budget_changes: Number(run.budgetChanges),
      messages_sent: Number(run.messagesSent),
      failures: Number(run.failures),
    },
  };
}
