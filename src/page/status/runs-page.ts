import type { Frozen } from '../../domain/frozen.ts';
import { RUN_WORDS, TICK_WORDS } from '../../report/state-words.ts';
import type { PastRun } from '../../store/run-history.ts';
import { type Html, html } from '../html.ts';
import { table } from '../table.ts';
import { frame } from './frame.ts';
import { linkFrom, PAGES, pathOf } from './pages.ts';
import { badge, duration, instant, line, number, section } from './parts.ts';

const { path, title } = PAGES.runs;

export interface RunsFacts {
  readonly frozen: Frozen | undefined;
  /** The newest first. */
  readonly runs: readonly PastRun[];
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
export function runState({ state }: Pick<PastRun, 'state'>): Html {
  return badge(RUN_WORDS[state]);
}

/** A run that was asked to stop left work undone, which is no failure. */
function failuresOf({ state, failures }: PastRun): bigint {
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
      html`<a href="${linkToRun(run.id)}">${run.id}</a>`,
      instant(run.startedAt),
      html`${run.command}${run.dryRun && html` <small>dry run</small>`}`,
      runState(run),
      duration(run.startedAt, run.endedAt),
      ...[run.accounts, run.rowsRead, run.budgetChanges, run.messagesSent, failuresOf(run)].map(number),
    ]),
  });
  const ways = [
    !isNewest && html`<a href="${linkFrom(path, path)}">Newest</a>`,
    olderThan !== undefined && html`<a href="${linkFrom(path, path)}?before=${olderThan}" rel="next">Older</a>`,
  ];
  return frame({
    path,
    title,
    frozen,
    isKnown: true,
    body: html`<h1>${title}</h1>${runs.length > 0 ? list : html`<p>There is no such run.</p>`}<p class="ways">${ways}</p>
${section('Schedule', jobs.length > 0 && jobTable(jobs))}`,
  });
}

function linkToRun(id: bigint | number): string {
  return linkFrom(path, pathOf('run', { id }));
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
        html`${badge(TICK_WORDS[last.state])}${last.runId !== undefined && html` <a href="${linkToRun(last.runId)}">run ${last.runId}</a>`}`,
      line(last?.reason),
    ]),
  });
}
