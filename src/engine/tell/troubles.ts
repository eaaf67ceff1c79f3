import { statSync } from 'node:fs';
import type { AlertSeverity } from '../../domain/channel.ts';
import { instantText, minuteText } from '../../domain/civil-date.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { counted } from '../../domain/wording.ts';
import { sunsetOf, sunsetWords, UPGRADE_STEP } from '../../language/gaql/catalogue/sunset.ts';
import { freezeState } from '../../storage/records/budgets/freeze-record.ts';
import { countUnread } from '../../storage/records/runs/run-account-table.ts';
import { type PastRun, pastRuns, READING_RUNS } from '../../storage/records/runs/run-history.ts';
import type { StateApp } from '../app.ts';
import { engineOf } from '../folder/engine.ts';
import { warehousePath } from '../folder/folder-paths.ts';
import { readSchedule } from '../schedule/read-schedule.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Something about the runs themselves that a person should know. */
export interface Trouble {
  readonly severity: AlertSeverity;
  /** The first line is the finding. */
  readonly text: string;
}

/** `over`: certainly not so. `unknown`: no alert, and the condition stays as it was. */
export type TroubleReading = Trouble | 'over' | 'unknown';

/** One look by its key, which is the end of the alert's key. */
export const TROUBLES: Readonly<Record<string, (app: StateApp) => Promise<TroubleReading>>> = {
  run_failed: runFailed,
  job_failed: jobFailed,
  no_complete_run: noCompleteRun,
  publication_stale: publicationStale,
  frozen: frozenForDays,
  version_ends: versionEnds,
};

const FAILURES_SHOWN = 3;
const FAILURE_LENGTH_MAX = 160;

/**
 * The last run that ended or died. A dead process cannot say so, and its record still says that it runs. Only the run's
 * lock, which ended with it, shows the difference.
 */
async function runFailed({ settings, state: { db } }: StateApp): Promise<TroubleReading> {
  const [last] = await pastRuns(db, { commands: READING_RUNS, limit: 1 });
  if (last === undefined || last.state === 'done' || last.state === 'stopped') return 'over';
  const run = `${last.command} of ${minuteText(last.startedAt)} (run ${last.id})`;
  if (last.state === 'running') {
    if (await (await engineOf(settings)).isLockedSince(last.startedAt)) return 'unknown';
    return dead(run);
  }
  if (last.state === 'died') return dead(run);
  const unread = await countUnread(db, last.id);
  const isPartial = unread > 0 && BigInt(unread) < last.accounts;
  const whose = isPartial ? `, ${unread} of ${counted(Number(last.accounts), 'account')} not read` : '';
  return {
    severity: isPartial ? 'warning' : 'critical',
    text: [`Run failed: ${run}${whose}`, ...failuresOf(last), 'Read more: pacekeeper status'].join('\n'),
  };
}

function dead(run: string): Trouble {
  const text = `Run died: ${run}\nIts process ended without a word. The next run repairs what it left.\nStart one: pacekeeper report`;
  return { severity: 'critical', text };
}

function failuresOf({ error }: PastRun): string[] {
  const failures = error?.split('\n') ?? [];
  const more = failures.length - FAILURES_SHOWN;
  const shown = failures.slice(0, FAILURES_SHOWN).map((line) => shortLine(line, FAILURE_LENGTH_MAX));
  return more > 0 ? [...shown, `and ${counted(more, 'more failure')}`] : shown;
}

/** Jobs of the schedule that ended before they recorded a run, so that no run says it. */
async function jobFailed({ settings }: StateApp): Promise<TroubleReading> {
  const last = (readSchedule(settings.paths.data)?.jobs ?? [])
    .filter(({ name }) => settings.schedule.some((job) => job.name === name))
    .flatMap(({ lastRun }) => lastRun ?? []);
  const failed = last.filter(({ state, runId }) => (state === 'failed' || state === 'died') && runId === undefined);
  if (failed.length === 0) return last.some(({ state }) => state === 'running') ? 'unknown' : 'over';
  const lines = failed.map(({ job, dueAt, exitCode }) => {
    const how = exitCode === undefined ? 'it was killed, or did not start' : `it ended with ${exitCode}`;
    return `${job}, due ${minuteText(dueAt)}: ${how}`;
  });
  return {
    severity: 'critical',
    text: ['A job failed before its run began', ...lines, 'Read more: pacekeeper status'].join('\n'),
  };
}

/** Counts from the first run if none was complete. */
async function noCompleteRun({ settings, clock, state: { db } }: StateApp): Promise<TroubleReading> {
  const { completeRunHours } = settings.watch;
  const [last] = await pastRuns(db, { commands: ['report'], states: ['done'], limit: 1 });
  const [first] = last === undefined ? await pastRuns(db, { commands: ['report'], limit: 1, fromFirst: true }) : [last];
  const since = first?.endedAt ?? first?.startedAt;
  if (since === undefined || clock.now() - Date.parse(since) < completeRunHours * HOUR_MS) return 'over';
  const what = last === undefined ? `since the first one, ${minuteText(since)}` : `since ${minuteText(since)}`;
  return {
    severity: 'critical',
    text: `No complete report ${what}\nOne is expected every ${counted(completeRunHours, 'hour')} (watch.complete_run_hours).\nRead more: pacekeeper status`,
  };
}

/** A cluster has no file: its views show the tables themselves. */
async function publicationStale({ settings, clock }: StateApp): Promise<TroubleReading> {
  if ((await engineOf(settings)).cluster !== undefined) return 'over';
  const { publicationHours } = settings.watch;
  const writtenMs = statSync(warehousePath(settings.paths.data), { throwIfNoEntry: false })?.mtimeMs;
  if (writtenMs === undefined || clock.now() - writtenMs < publicationHours * HOUR_MS) return 'over';
  return {
    severity: 'warning',
    text: `The published file is old: written ${minuteText(instantText(writtenMs))}\nBI tools show the numbers of that time.\nRenew it: pacekeeper publish`,
  };
}

async function frozenForDays({ settings, clock, state: { db } }: StateApp): Promise<TroubleReading> {
  const freeze = await freezeState(db);
  if (freeze === undefined) return 'over';
  const days = Math.floor((clock.now() - Date.parse(freeze.at)) / DAY_MS);
  if (days < settings.watch.frozenDays) return 'over';
  return {
    severity: 'warning',
    text: `Budgets are frozen for ${counted(days, 'day')}\nBy ${freeze.by}, since ${minuteText(freeze.at)}: ${shortLine(freeze.why, FAILURE_LENGTH_MAX)}\nLift it: pacekeeper unfreeze`,
  };
}

async function versionEnds({ settings, clock }: StateApp): Promise<TroubleReading> {
  const sunset = sunsetOf(settings.ads.version, clock.now());
  if (settings.target !== 'live' || sunset === undefined || sunset.daysLeft > settings.watch.versionDays) return 'over';
  return { severity: sunset.daysLeft <= 7 ? 'critical' : 'warning', text: `${sunsetWords(sunset)}\n${UPGRADE_STEP}` };
}
