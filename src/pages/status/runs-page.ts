import type { StateApp } from '../../app.ts';
import { isId } from '../../domain/ids.ts';
import { html } from '../../html/html.ts';
import { linkFrom, PAGES } from '../../html/pages.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { pastRuns } from '../../store/runs/run-history.ts';
import { htmlSection, htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { JOB_COLUMNS, RUN_ROW } from '../../views/run-columns.ts';
import { stateFrame } from './frame.ts';
import { jobFacts } from './schedule-standing.ts';

const { path, title } = PAGES.runs;

const RUNS_MAX = 50;

export async function runsPage(app: StateApp, query: URLSearchParams): Promise<string> {
  const wanted = query.get('before') ?? '';
  const before = isId(wanted) ? BigInt(wanted) : undefined;
  const found = await pastRuns(app.state.db, { before, limit: RUNS_MAX + 1 });
  const { runs, jobs } = redactTexts(
    { runs: found.slice(0, RUNS_MAX), jobs: before === undefined ? jobFacts(app) : [] },
    app.settings,
  );
  const list = htmlTable(sheetOf(RUN_ROW, runs, 'people'), { caption: 'Newest first', path });
  const ways = [
    before !== undefined && html`<a href="${linkFrom(path, path)}">Newest</a>`,
    found.length > RUNS_MAX && html`<a href="${linkFrom(path, path)}?before=${runs.at(-1)?.id}" rel="next">Older</a>`,
  ];
  return stateFrame(app, {
    path,
    title,
    body: html`<h1>${title}</h1>${runs.length > 0 ? list : html`<p>No such run.</p>`}<p class="ways">${ways}</p>
${htmlSection(path, 'Schedule', 'Jobs of pacekeeper schedule, with their last results', JOB_COLUMNS, jobs)}`,
  });
}
