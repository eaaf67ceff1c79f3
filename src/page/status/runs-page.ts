import type { Frozen } from '../../domain/frozen.ts';
import { RUN_WORDS, TICK_WORDS } from '../../report/state-words.ts';
import { type Html, html } from '../html.ts';
import { table } from '../table.ts';
import { frame } from './frame.ts';
import { badge, duration, instant, line, number, section } from './parts.ts';

/** A run as its page and the list of runs tell it. Instants are UTC. */
export interface ShownRun {
  readonly id: bigint;
  readonly command: string;
  readonly target: string;
  readonly mode: string;
  readonly dryRun: boolean;
  readonly state: 'running' | 'done' | 'stopped' | 'failed' | 'refused' | 'died';
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly accounts: bigint;
  readonly rowsRead: bigint;
  readonly budgetChanges: bigint;
  readonly messagesSent: bigint;
  readonly operations: bigint;
  readonly failures: bigint;
  /** A sentence a line. */
  readonly error: string | undefined;
}

export interface RunsFacts {
  readonly frozen: Frozen | undefined;
  /** The newest first. */
  readonly runs: readonly ShownRun[];
  /** The number to go on before; undefined where there is no more. */
  readonly olderThan: bigint | undefined;
  /** Whether these are the newest there are. */
  readonly isNewest: boolean;
  /** The jobs of the schedule; empty where older runs are shown, too. */
  readonly jobs: readonly ShownJob[];
}

/** A scheduled job; what it last came to, if it ever was due. */
export interface ShownJob {
  readonly name: string;
  readonly job: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly nextMs: number | undefined;
  readonly last:
    | {
        readonly dueAt: string;
        readonly state: keyof typeof TICK_WORDS;
        readonly reason: string | undefined;
        readonly runId: number | undefined;
      }
    | undefined;
}

/** How it ended. */
export function runState({ state }: Pick<ShownRun, 'state'>): Html {
  return badge(RUN_WORDS[state]);
}

/** What was left because it was asked to stop is none. */
function failuresOf({ state, failures }: ShownRun): bigint {
  return state === 'stopped' ? 0n : failures;
}

export function runsPage({ runs, olderThan, isNewest, jobs, frozen }: RunsFacts): string {
  const numeric = (title: string) => ({ title, numeric: true });
  const list = table({
    caption: 'The newest first',
    columns: [
      ...[{ title: 'Run' }, { title: 'Began' }, { title: 'Command' }, { title: 'Outcome' }, numeric('Took')],
      ...[numeric('Accounts'), numeric('Rows'), numeric('Changes'), numeric('Messages'), numeric('Failures')],
    ],
    rows: runs.map((run) => [
      html`<a href="runs/${run.id}">${run.id}</a>`,
      instant(run.startedAt),
      html`${run.command}${run.dryRun && html` <small>dry run</small>`}`,
      runState(run),
      duration(run.startedAt, run.endedAt),
      ...[run.accounts, run.rowsRead, run.budgetChanges, run.messagesSent, failuresOf(run)].map(number),
    ]),
  });
  const ways = [
    !isNewest && html`<a href="runs">Newest</a>`,
    olderThan !== undefined && html`<a href="runs?before=${olderThan}" rel="next">Older</a>`,
  ];
  return frame({
    path: '/runs',
    title: 'Runs',
    frozen,
    isKnown: true,
    body: html`<h1>Runs</h1>${runs.length > 0 ? list : html`<p>There is no such run.</p>`}<p class="ways">${ways}</p>
${section('Schedule', jobs.length > 0 && jobTable(jobs))}`,
  });
}

function jobTable(jobs: readonly ShownJob[]): Html {
  return table({
    caption: 'What pacekeeper schedule starts, and what it last came to',
    columns: ['Job', 'What', 'When', 'Next', 'Last due', 'Outcome', 'Why'].map((title) => ({ title })),
    rows: jobs.map(({ name, job, cron, timeZone, nextMs, last }) => [
      line(name),
      job,
      html`<code>${cron}</code> <small>${timeZone}</small>`,
      instant(nextMs === undefined ? undefined : new Date(nextMs).toISOString()),
      instant(last?.dueAt),
      last &&
        html`${badge(TICK_WORDS[last.state])}${last.runId !== undefined && html` <a href="runs/${last.runId}">run ${last.runId}</a>`}`,
      line(last?.reason),
    ]),
  });
}
