import type { CustomerId } from '../../domain/ids.ts';
import { pathOf } from '../../domain/pages.ts';
import { duration } from '../../domain/wording.ts';
import type { PastRun } from '../records/runs/run-history.ts';
import { CUSTOMER } from './budget-columns.ts';
import { type Column, count, flag, id, instant, json, state, text } from './column.ts';
import type { PublishedView } from './published-view.ts';
import { ACCOUNT_WORDS, isRefusedAct, runWord, TICK_WORDS } from './state-words.ts';

export const RUN_COLUMNS: readonly Column<PastRun>[] = [
  id('id', 'The number of the run.', 'id', { title: 'Run', link: (run) => pathOf('run', { id: run.id }) }),
  text('command', 'The command that ran.', 'command', {
    title: 'Command',
    shown: ({ command, dryRun }) => `${command}${dryRun ? ' (dry run)' : ''}`,
  }),
  text('target', 'The advertising service.', 'target', { title: 'Service' }),
  text('mode', 'The automation mode: propose, approve or apply.', 'mode', { title: 'Automation' }),
  flag('dry_run', 'Whether it was a dry run, which changes and sends nothing.', 'dryRun'),
  state(
    'state',
    'running, done, stopped (on request), failed (in part), refused (wrong input, or by a guard) or died.',
    'state',
    {
      title: 'Outcome',
      word: runWord,
    },
  ),
  instant('started_at', 'When it started.', 'startedAt', { title: 'Started' }),
  instant('ended_at', 'When it ended.', 'endedAt'),
  count('accounts', 'Number of accounts.', 'accounts', { title: 'Accounts' }),
  count('rows_read', 'Rows read.', 'rowsRead', { title: 'Rows' }),
  count(
    'operations',
    "Operations in the service's daily quota: one per request for an account, one per budget in a budget request.",
    'operations',
    { title: 'Operations' },
  ),
  count('budget_changes', 'Budgets changed.', 'budgetChanges', { title: 'Changes' }),
  count('messages_sent', 'Messages sent. A message may contain several alerts.', 'messagesSent', {
    title: 'Messages',
  }),
  count('failures', 'Number of failures.', 'failures', {
    title: 'Failures',
    // If a person stopped the run, unfinished work is not a failure.
    shown: (run) => (run.state === 'stopped' || isRefusedAct(run) ? '0' : run.failures.toLocaleString('en-US')),
  }),
  text('error', 'The failures, one per line.', 'error', { title: 'Why', long: 'lines' }),
];

const TOOK = text('took', 'How long it took.', ({ startedAt, endedAt }: PastRun) => duration(startedAt, endedAt), {
  title: 'Took',
});

export const LISTED_RUN = RUN_COLUMNS.filter(({ key }) => !['target', 'mode', 'operations', 'failures'].includes(key));
export const RUN_ROW = [
  ...RUN_COLUMNS.filter(({ key }) => !['target', 'mode', 'operations', 'ended_at', 'error'].includes(key)),
  TOOK,
];
export const RUN_FACTS = [
  ...RUN_COLUMNS.filter(({ key }) => !['id', 'state', 'failures', 'error'].includes(key)),
  TOOK,
];

export interface AccountOfRun {
  readonly customerId: CustomerId;
  readonly accountName: string | undefined;
  readonly state: keyof typeof ACCOUNT_WORDS;
  readonly reason: string | undefined;
  readonly rows: bigint;
}

export const ACCOUNT_COLUMNS: readonly Column<AccountOfRun>[] = [
  CUSTOMER,
  state('state', 'read, stopped (on request), failed, left_out or not_reached.', 'state', {
    title: 'Outcome',
    word: (account) => ACCOUNT_WORDS[account.state],
  }),
  count('rows', 'Rows that the run wrote for the account.', 'rows', { title: 'Rows' }),
  text('reason', 'Why it was not read. NULL if it was read.', 'reason', { title: 'Why', long: true }),
];

/** Times are in UTC. */
export interface ScheduledJob {
  readonly name: string;
  readonly job: string;
  readonly cron: string;
  readonly timeZone: string;
  /** Undefined if the job will never be due. */
  readonly next: string | undefined;
  readonly last:
    | {
        readonly dueAt: string;
        readonly state: keyof typeof TICK_WORDS;
        readonly reason: string | undefined;
        readonly runId: number | undefined;
      }
    | undefined;
}

export const JOB_COLUMNS: readonly Column<ScheduledJob>[] = [
  text('name', 'The name of the job.', 'name', { title: 'Job' }),
  text('job', 'The command that it starts.', 'job', { title: 'Starts' }),
  text('cron', 'The schedule.', ({ cron, timeZone }) => `${cron} (${timeZone})`, { title: 'When', only: ['people'] }),
  instant('next', 'When it is due next.', 'next', { title: 'Next' }),
  instant('due_at', 'When it was last due.', ({ last }) => last?.dueAt, { title: 'Last due', only: ['people'] }),
  state('state', 'The last outcome.', ({ last }) => last?.state, {
    title: 'Outcome',
    only: ['people'],
    word: ({ last }) => last && TICK_WORDS[last.state],
  }),
  id('run_id', 'The last run of the job.', ({ last }) => last?.runId, {
    title: 'Run',
    only: ['people'],
    link: ({ last }) => (last?.runId === undefined ? undefined : pathOf('run', { id: last.runId })),
  }),
  text('reason', 'The reason for the last outcome.', ({ last }) => last?.reason, {
    title: 'Why',
    long: true,
    only: ['people'],
  }),
  json(
    'last',
    'The last outcome.',
    ({ last }) => last && { state: last.state, due_at: last.dueAt, reason: last.reason },
    { only: ['json'] },
  ),
];

const ACCOUNT: PublishedView = {
  name: 'account',
  group: 'statistics',
  description: 'One row per account that was read at least once.',
  columns: [
    CUSTOMER,
    text('name', 'The name of the account.'),
    text('currency', 'The currency of the account and of its amounts, ISO 4217.'),
    text('time_zone', 'The time zone in which its days begin and end.'),
    text('status', 'The status at the service: ENABLED, SUSPENDED and so on.'),
    instant('seen_at', 'When its name, currency and time zone were last read.'),
  ],
  key: ['customer_id'],
};

const RUN: PublishedView = {
  name: 'run',
  description: 'One row per run of pacekeeper.',
  columns: RUN_COLUMNS,
  key: ['id'],
};

const RUN_ACCOUNT: PublishedView = {
  name: 'run_account',
  references: { run_id: 'run (id)' },
  description: 'One row per account and run, with the outcome.',
  columns: [id('run_id', 'The run.'), ...ACCOUNT_COLUMNS.filter(({ key }) => key !== 'rows')],
  key: ['run_id', 'customer_id'],
};

export const PUBLISHED_RUNS: readonly PublishedView[] = [ACCOUNT, RUN, RUN_ACCOUNT];
