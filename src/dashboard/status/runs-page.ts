import { isId } from '../../domain/ids.ts';
import { firstLineOf, shortLine } from '../../domain/outside-text.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { duration, grouped } from '../../domain/wording.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { JOB_COLUMNS } from '../../storage/columns/run-columns.ts';
import { isRefusedAct, runWord } from '../../storage/columns/state-words.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { type PastRun, pastRuns } from '../../storage/records/runs/run-history.ts';
import { type Html, html } from '../../views/html/html.ts';
import { badge, emptyState } from '../../views/html/parts.ts';
import { counted } from '../../views/html/wording.ts';
import { htmlSection } from '../../views/kit/html.ts';
import { stateFrame } from './frame.ts';
import { filterForm, filterQuery, readFilter } from './page-filter.ts';
import { jobFacts } from './schedule-standing.ts';

const { path, title } = PAGES.runs;

const RUNS_MAX = 50;
const FAILURE_MAX = 160;

export async function runsPage(app: StateApp, query: URLSearchParams): Promise<string> {
  const filter = readFilter(query);
  const wanted = query.get('before') ?? '';
  const before = isId(wanted) ? BigInt(wanted) : undefined;
  const found = await pastRuns(app.state.db, { ...filter, before, limit: RUNS_MAX + 1 });
  const facts = {
    runs: found.slice(0, RUNS_MAX),
    jobs: before === undefined ? jobFacts(app) : [],
    accounts: await allAccounts(app.state.db),
  };
  const { runs, jobs, accounts } = redactTexts(facts, app.settings);
  const days = grouped(runs, ({ startedAt }) => startedAt.slice(0, 10)).map(dayOfRuns);
  const here = linkFrom(path, path);
  const older = filterQuery(filter, { before: String(runs.at(-1)?.id) });
  const ways = [
    before !== undefined && html`<a href="${here}${filterQuery(filter)}">Newest</a>`,
    found.length > RUNS_MAX && html`<a href="${here}${older}" rel="next">Older</a>`,
  ];
  return stateFrame(app, {
    path,
    title,
    kept: filter,
    filter: filterForm({ path, filter, fields: ['days', 'customer'], accounts }),
    body: html`${days.length > 0 ? days : emptyState('No such run.')}<p class="ways">${ways}</p>
${htmlSection(path, 'Schedule', 'Jobs of pacekeeper schedule, with their last results', JOB_COLUMNS, jobs)}`,
  });
}

function dayOfRuns(runs: readonly PastRun[]): Html {
  return html`<section><h2>${runs[0]?.startedAt.slice(0, 10)}</h2><ol class="timeline">${runs.map(entry)}</ol></section>\n`;
}

/** Names the first failure, because a timeline is read to find out what failed. */
function entry(run: PastRun): Html {
  const { id, command, dryRun, state, startedAt, endedAt, accounts, rowsRead, budgetChanges, failures, error } = run;
  const href = linkFrom(path, pathOf('run', { id }));
  const numbers = [
    duration(startedAt, endedAt),
    counted(accounts, 'account'),
    counted(rowsRead, 'row'),
    ...(budgetChanges > 0n ? [counted(budgetChanges, 'budget change')] : []),
    ...(failures > 0n && state !== 'stopped' && !isRefusedAct(run) ? [counted(failures, 'failure')] : []),
  ];
  const [, tone] = runWord(run);
  const why =
    error !== undefined &&
    html`<p class="${tone === 'bad' ? 'bad' : 'note'}">${shortLine(firstLineOf(error), FAILURE_MAX)}</p>`;
  return html`<li><time datetime="${startedAt}">${startedAt.slice(11, 16)} UTC</time><div><a href="${href}">Run ${id}, ${command}${dryRun && ' (dry run)'}</a> ${badge(runWord(run))}<p class="note">${numbers.join(' · ')}</p>${why}</div></li>`;
}
