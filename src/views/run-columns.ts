import { pathOf } from '../page/status/pages.ts';
import { RUN_WORDS } from '../report/state-words.ts';
import type { PastRun } from '../store/run-history.ts';
import { type Column, count, flag, id, instant, state, text } from './column.ts';

/** Of a run, as it is listed, as pages have it and as it is published. */
export const RUN_COLUMNS: readonly Column<PastRun>[] = [
  id('id', 'The number of the run.', (run) => run.id, {
    title: 'Run',
    link: ({ id: own }) => pathOf('run', { id: own }),
  }),
  text('command', 'The command that ran.', (run) => run.command, {
    title: 'Command',
    shown: ({ command, dryRun }) => `${command}${dryRun ? ' --dry-run' : ''}`,
  }),
  text('target', 'The service it asked.', (run) => run.target, { only: [] }),
  text('mode', 'How far automation might go: propose, approve or apply.', (run) => run.mode, { only: [] }),
  flag('dry_run', 'Whether it was to change and send nothing.', (run) => run.dryRun),
  state(
    'state',
    'done, stopped (it was asked to), failed (something went wrong and the rest was done), refused, died or running.',
    (run) => run.state,
    { title: 'Outcome', word: (run) => RUN_WORDS[run.state] },
  ),
  instant('started_at', 'When it began.', (run) => run.startedAt, { title: 'Began' }),
  instant('ended_at', 'When it ended.', (run) => run.endedAt),
  count('accounts', 'Accounts it covered.', (run) => run.accounts, { title: 'Accounts' }),
  count('rows_read', 'Rows it read.', (run) => run.rowsRead, { title: 'Rows' }),
  count('operations', "Requests that count against the service's daily quota.", (run) => run.operations, { only: [] }),
  count('budget_changes', 'Budgets it changed.', (run) => run.budgetChanges, { title: 'Changes' }),
  count('messages_sent', 'Messages it sent, in each of which there may be several alerts.', (run) => run.messagesSent, {
    title: 'Messages',
  }),
  // A run that was asked to stop left work undone, which is no failure.
  count('failures', 'Things that went wrong.', (run) => (run.state === 'stopped' ? 0n : run.failures), {
    title: 'Failures',
    only: ['people'],
  }),
  text('error', 'What went wrong, one sentence per line.', (run) => run.error, { title: 'Error', long: true }),
];
