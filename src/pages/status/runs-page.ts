import type { Frozen } from '../../domain/frozen.ts';
import { html } from '../../html/html.ts';
import { linkFrom, PAGES } from '../../html/pages.ts';
import type { PastRun } from '../../store/runs/run-history.ts';
import { htmlSection, htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { JOB_COLUMNS, RUN_ROW, type ScheduledJob } from '../../views/run-columns.ts';
import { frame } from './frame.ts';

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
  readonly jobs: readonly ScheduledJob[];
}

export function runsPage({ runs, olderThan, isNewest, jobs, frozen }: RunsFacts): string {
  const list = htmlTable(sheetOf(RUN_ROW, runs, 'people'), { caption: 'The newest first', path });
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
${htmlSection(path, 'Schedule', 'What pacekeeper schedule starts, and what it last came to', JOB_COLUMNS, jobs)}`,
  });
}
