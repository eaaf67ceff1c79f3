import { type CivilDate, minuteText } from '../domain/civil-date.ts';
import { type Frozen, modeWords } from '../domain/frozen.ts';
import { firstLineOf, shortLine } from '../domain/outside-text.ts';
import type { WorkersStanding } from '../domain/workers.ts';
import { isSunsetNear, type Sunset, sunsetWords, UPGRADE_STEP } from '../language/gaql/catalogue/sunset.ts';
import { type Column, count, day, text } from '../storage/columns/column.ts';
import { JOB_COLUMNS, LISTED_RUN, type ScheduledJob } from '../storage/columns/run-columns.ts';
import { RUN_WORDS } from '../storage/columns/state-words.ts';
import type { PastRun } from '../storage/records/runs/run-history.ts';
import { jsonObject } from './kit/json.ts';
import { type Listing, part } from './kit/listing.ts';
import { count as counted, firstOf } from './text/text-layout.ts';
import { countTasks, liveWorkers, workerLines } from './text/worker-lines.ts';

export interface ScheduleStanding {
  readonly holder: ScheduleHolder | undefined;
  readonly jobs: readonly ScheduledJob[];
}

export interface ScheduleHolder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** `late` means that the lease was not renewed in time. `gone` means that the process has ended. */
  readonly state: 'keeping' | 'late' | 'gone';
}

export interface QueryCoverage {
  readonly query: string;
  readonly accounts: number;
  readonly neverRead: number;
  /** Undefined if an account has no complete day. */
  readonly completeUntil: CivilDate | undefined;
  /** In account days. Reads with another query fingerprint do not count. */
  readonly missing: number;
  readonly provisional: number;
  readonly failed: number;
}

export interface StatusResult {
  readonly target: string;
  readonly mode: string;
  readonly dataFolder: string;
  readonly version: string;
  readonly sunset: Sunset | undefined;
  readonly schedule: ScheduleStanding;
  readonly frozen: Frozen | undefined;
  readonly workers: WorkersStanding | undefined;
  readonly work: WorkStanding;
}

export interface WorkStanding {
  readonly lastReport: PastRun | undefined;
  readonly runs: readonly PastRun[];
  readonly coverage: readonly QueryCoverage[];
  readonly orphanedTables: readonly string[];
  readonly openChanges: number;
  readonly proposals: readonly string[];
  readonly alerts: { readonly waiting: number; readonly mayBeOut: number; readonly lost: number };
}

export const QUERY_COVERAGE_COLUMNS: readonly Column<QueryCoverage>[] = [
  text('query', 'The query, which is also the name of its table.', 'query', { title: 'Table' }),
  day('settled_until', 'The last day that is complete in all read accounts.', 'completeUntil', {
    title: 'Complete until',
  }),
  count('accounts', 'Number of accounts.', 'accounts', { title: 'Accounts' }),
  count('never_read', 'Accounts without a single read day.', 'neverRead', { title: 'Never read' }),
  count('missing', 'Account days not read, or read with another query text.', 'missing', { title: 'Missing' }),
  count('provisional', 'Account days read before they were complete.', 'provisional', {
    title: 'Provisional',
  }),
  count('failed', 'Accounts whose last read failed.', ({ failed }) => (failed === 0 ? undefined : failed), {
    title: 'Failed',
    only: ['people'],
    stays: true,
  }),
];

const CODES_MAX = 6;
const FAILURE_MAX = 160;

export const STATUS: Listing<StatusResult> = {
  name: 'status',
  evident: ['id', 'command', 'started_at', 'ended_at', 'accounts', 'rows_read', 'budget_changes'],
  about:
    'The state of the data folder: last runs, coverage, budgets, alerts, schedule and workers. CSV and NDJSON contain only the last runs, newest first.',
  frozen: ({ frozen }) => frozen,
  json: ({ target, mode, dataFolder, version, sunset, frozen, schedule, workers, work }) => ({
    target,
    mode,
    data_folder: dataFolder,
    ads_version: { version, ends_on: sunset?.day },
    last_report: work.lastReport && jsonObject(LISTED_RUN, work.lastReport),
    orphaned_tables: work.orphanedTables,
    budgets: { changes_under_way: work.openChanges, proposals: work.proposals, frozen: frozen?.why },
    alerts: { waiting: work.alerts.waiting, may_be_out: work.alerts.mayBeOut, not_delivered: work.alerts.lost },
    schedule: { holder: schedule.holder, jobs: schedule.jobs.map((job) => jsonObject(JOB_COLUMNS, job)) },
    workers: workers && jsonWorkers(workers),
  }),
  before: ({ target, mode, dataFolder, sunset, frozen, schedule, workers, work }) => [
    `pacekeeper status · ${target} · mode ${modeWords(mode, frozen)}`,
    `Data: ${dataFolder}`,
    ...(isSunsetNear(sunset) ? [`Version: ${sunsetWords(sunset)}. ${UPGRADE_STEP}`] : []),
    work.lastReport === undefined ? 'Last report: none yet. Run pacekeeper report.' : lastReportWords(work.lastReport),
    `Budgets: ${counted(work.openChanges, 'change')} under way, ${proposalWords(work.proposals)}`,
    `Alerts: ${alertWords(work.alerts)}`,
    `Schedule: ${schedule.jobs.length === 0 ? 'no jobs. Set schedule in pacekeeper.yaml.' : holderWords(schedule.holder)}`,
    ...(workers === undefined ? [] : workerLines(workers)),
    ...work.orphanedTables.map(
      (name) => `Table ${name} has no query file. To drop it: pacekeeper warehouse rebuild ${name}`,
    ),
  ],
  parts: [
    part({ json: 'runs', title: 'Runs', columns: LISTED_RUN, rows: ({ work }) => work.runs }),
    part({
      json: 'coverage',
      only: ['people', 'json'],
      title: 'Coverage',
      columns: QUERY_COVERAGE_COLUMNS,
      rows: ({ work }) => work.coverage,
    }),
    part({ only: ['people'], title: 'Schedule', columns: JOB_COLUMNS, rows: ({ schedule }) => schedule.jobs }),
  ],
};

function jsonWorkers(standing: WorkersStanding) {
  return {
    live: liveWorkers(standing),
    live_workers: standing.workers.flatMap(({ worker, isLive }) => (isLive ? worker : [])),
    tasks_waiting: countTasks(standing, 'waiting'),
    tasks_in_work: countTasks(standing, 'in_work'),
    tasks_failed: countTasks(standing, 'failed'),
    failed_tasks: standing.failed.map(({ kind, customerId, failedAt, worker, reason }) => ({
      kind,
      customer_id: customerId,
      failed_at: failedAt,
      worker,
      reason,
    })),
  };
}

function lastReportWords({ id, command, state, startedAt, error }: PastRun): string {
  const why = error === undefined ? '' : `: ${shortLine(firstLineOf(error), FAILURE_MAX)}`;
  return `Last ${command}: ${RUN_WORDS[state][0]}, run ${id}, ${minuteText(startedAt)}${why}`;
}

function proposalWords(proposals: readonly string[]): string {
  return `${proposals.length} awaiting approval${proposals.length === 0 ? '' : ` (${firstOf(proposals, CODES_MAX)})`}`;
}

function alertWords({ waiting, mayBeOut, lost }: WorkStanding['alerts']): string {
  return [
    waiting === 0 ? 'none waiting' : counted(waiting, 'waiting', 'waiting'),
    ...(mayBeOut === 0 ? [] : [`${mayBeOut} with delivery not confirmed`]),
    ...(lost === 0 ? [] : [`${lost} not delivered`]),
  ].join(', ');
}

function holderWords(holder: ScheduleHolder | undefined): string {
  if (holder === undefined) return 'not running. Run pacekeeper schedule.';
  const who = `process ${holder.pid} on ${holder.host}`;
  if (holder.state === 'keeping') return `running in ${who} since ${minuteText(holder.since)}`;
  const what = holder.state === 'gone' ? 'has ended' : 'does not respond';
  return `not running: ${who} ${what}. Run pacekeeper schedule again.`;
}
