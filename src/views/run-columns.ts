import type { CustomerId } from '../domain/ids.ts';
import { pathOf } from '../html/pages.ts';
import { duration } from '../html/parts.ts';
import type { PastRun } from '../store/runs/run-history.ts';
import { ACCOUNT_WORDS, RUN_WORDS, TICK_WORDS } from '../text/state-words.ts';
import { CUSTOMER } from './budget-columns.ts';
import { type Column, count, flag, id, instant, json, state, text } from './kit/column.ts';

export const RUN_COLUMNS: readonly Column<PastRun>[] = [
  id('id', 'The number of the run.', 'id', { title: 'Run', link: (run) => pathOf('run', { id: run.id }) }),
  text('command', 'The command that ran.', 'command', {
    title: 'Command',
    shown: ({ command, dryRun }) => `${command}${dryRun ? ' (dry run)' : ''}`,
  }),
  text('target', 'The service it asked.', 'target', { title: 'Service' }),
  text('mode', 'How far automation might go: propose, approve or apply.', 'mode', { title: 'Automation' }),
  flag('dry_run', 'Whether it was to change and send nothing.', 'dryRun'),
  state(
    'state',
    'done, stopped (it was asked to), failed (something went wrong and the rest was done), refused, died or running.',
    'state',
    { title: 'Outcome', word: (run) => RUN_WORDS[run.state] },
  ),
  instant('started_at', 'When it began.', 'startedAt', { title: 'Began' }),
  instant('ended_at', 'When it ended.', 'endedAt'),
  count('accounts', 'Accounts it covered.', 'accounts', { title: 'Accounts' }),
  count('rows_read', 'Rows it read.', 'rowsRead', { title: 'Rows' }),
  count('operations', "Requests that count against the service's daily quota.", 'operations', { title: 'Operations' }),
  count('budget_changes', 'Budgets it changed.', 'budgetChanges', { title: 'Changes' }),
  count('messages_sent', 'Messages it sent, in each of which there may be several alerts.', 'messagesSent', {
    title: 'Messages',
  }),
  count('failures', 'Things that went wrong.', 'failures', {
    title: 'Failures',
    // Undone work after a stop request is no failure.
    shown: (run) => (run.state === 'stopped' ? '0' : run.failures.toLocaleString('en-US')),
  }),
  text('error', 'What went wrong, one sentence per line.', 'error', { title: 'Why', long: 'lines' }),
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
  state('state', 'read, stopped (the run was asked to), failed, left_out or not_reached.', 'state', {
    title: 'Outcome',
    word: (account) => ACCOUNT_WORDS[account.state],
  }),
  count('rows', 'Rows in the tables by it.', 'rows', { title: 'Rows' }),
  text('reason', 'Why it was not read; NULL when it was.', 'reason', { title: 'Why', long: true }),
];

/** Instants are UTC. */
export interface ScheduledJob {
  readonly name: string;
  readonly job: string;
  readonly cron: string;
  readonly timeZone: string;
  /** Undefined if it is never due again. */
  readonly next: string | undefined;
  /** Undefined before the first due time. */
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
  text('cron', 'When it is due.', ({ cron, timeZone }) => `${cron} (${timeZone})`, { title: 'When', only: ['people'] }),
  instant('next', 'When it is due next.', 'next', { title: 'Next' }),
  instant('due_at', 'When it was last due.', ({ last }) => last?.dueAt, { title: 'Last due', only: ['people'] }),
  state('state', 'What it last came to.', ({ last }) => last?.state, {
    title: 'Outcome',
    only: ['people'],
    word: ({ last }) => last && TICK_WORDS[last.state],
  }),
  id('run_id', 'The run that it last started.', ({ last }) => last?.runId, {
    title: 'Run',
    only: ['people'],
    link: ({ last }) => (last?.runId === undefined ? undefined : pathOf('run', { id: last.runId })),
  }),
  text('reason', 'Why it came to that.', ({ last }) => last?.reason, { title: 'Why', long: true, only: ['people'] }),
  json(
    'last',
    'What it last came to.',
    ({ last }) => last && { state: last.state, due_at: last.dueAt, reason: last.reason },
    { only: ['json'] },
  ),
];
