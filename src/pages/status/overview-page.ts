import { type Html, html } from '../../html/html.ts';
import { linkFrom, PAGES } from '../../html/pages.ts';
import { badge, instant } from '../../html/parts.ts';
import type { PastRun } from '../../store/runs/run-history.ts';
import type { RunProgress } from '../../store/runs/run-progress.ts';
import { RUN_WORDS } from '../../text/state-words.ts';
import type { ReportFacts } from '../../views/report/report-facts.ts';
import { renderReport } from '../report/report-page.ts';
import { frame } from './frame.ts';

const { path, title } = PAGES.overview;

export interface OverviewFacts {
  readonly run: PastRun | undefined;
  readonly proposals: number;
  readonly open: number;
  readonly firing: number;
  readonly progress?: RunProgress | undefined;
  readonly report: ReportFacts;
}

export function overviewPage({ run, proposals, open, firing, progress, report }: OverviewFacts): string {
  const cards = [
    card(
      PAGES.runs,
      'Last run',
      run
        ? html`${badge(RUN_WORDS[run.state])} ${run.command}${run.dryRun && ' (dry run)'}, ${instant(run.startedAt)}`
        : html`none`,
    ),
    card(PAGES.inbox, 'Awaiting approval', counted(proposals, 'waits')),
    card(PAGES.inbox, 'Unknown outcomes', counted(open, 'bad')),
    card(PAGES.alerts, 'Firing', counted(firing, 'waits')),
  ];
  const now = html`<section aria-label="Now"><ul class="now">${cards}</ul></section>\n`;
  return frame({
    path,
    title,
    frozen: report.frozen,
    run: progress,
    body: renderReport(report, { cards: now, run: run?.id }),
  });
}

function card(page: { readonly path: string }, name: string, value: Html): Html {
  return html`<li><a href="${linkFrom(path, page.path)}"><span>${name}</span> ${value}</a></li>`;
}

function counted(number: number, kind: 'bad' | 'waits'): Html {
  return number === 0 ? badge(['none', 'plain']) : badge([String(number), kind]);
}
