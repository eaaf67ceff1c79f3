import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { may, type Role } from '../../domain/role.ts';
import type { WorkersStanding } from '../../domain/workers.ts';
import { unknownAccounts } from '../../engine/accounts/unknown-names.ts';
import type { StateApp } from '../../engine/app.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { RUN_WORDS } from '../../storage/columns/state-words.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { lastReport, type PastRun } from '../../storage/records/runs/run-history.ts';
import { type Html, html } from '../../views/html/html.ts';
import { badge, instant, line } from '../../views/html/parts.ts';
import { newestSettled } from '../../views/report/pace.ts';
import { workerLines } from '../../views/text/worker-lines.ts';
import { gatherReport } from '../report/gather-report.ts';
import { renderReport } from '../report/report-page.ts';
import { stateFrame } from './frame.ts';
import { chosenFilter, filterForm, isRestricted, readyRanges } from './page-filter.ts';
import { rangeSection } from './range-section.ts';

const { path, title } = PAGES.overview;

export async function overviewPage(app: StateApp, query: URLSearchParams, role: Role): Promise<string> {
  const { db } = app.state;
  const filter = await chosenFilter(app, query);
  const run = redactTexts(await lastReport(db), app.settings);
  const workers = redactTexts(await (await engineOf(app.settings)).cluster?.workers(), app.settings);
  const hasFigures = isRestricted(filter) || filter.comparison !== undefined;
  const report = await gatherReport(app, hasFigures ? filter : undefined);
  const accounts = redactTexts(await allAccounts(db), app.settings);
  const complete = report.accounts
    .flatMap(({ days }) => newestSettled(days) ?? [])
    .sort()
    .at(-1);
  const form = filterForm({
    path,
    filter,
    fields: ['days', 'compare', 'customer', 'campaign'],
    accounts,
    ranges: readyRanges(complete),
  });
  const isUnknown = hasFigures && report.accounts.length === 0;
  const hasSentence = unknownAccounts(filter.customers, accounts) !== undefined;
  const none = isUnknown && !hasSentence && html`<p class="problem">No account with data matches the filter.</p>`;
  return stateFrame(app, {
    path,
    title,
    kept: filter,
    filter: form,
    body: renderReport(report, {
      here: path,
      canUndo: may(role, 'undo') && report.frozen === undefined,
      now: lastRunItem(run),
      top: html`${workers && workersNow(workers)}${none}`,
      first: isUnknown ? undefined : rangeSection(report, path),
      run: run?.id,
    }),
  });
}

function lastRunItem(run: PastRun | undefined): Html {
  if (run === undefined) return html`<li>No run yet</li>`;
  const href = linkFrom(path, pathOf('run', { id: run.id }));
  return html`<li>Last ${run.command}: ${badge(RUN_WORDS[run.state])} <a href="${href}">run ${run.id}</a>${run.dryRun && ' (dry run)'}, ${instant(run.startedAt)}</li>`;
}

function workersNow(standing: WorkersStanding): Html {
  const [summary, ...failed] = workerLines(standing);
  if (failed.length === 0) return html`<p>${summary}</p>\n`;
  return html`<details><summary>${summary}</summary>${failed.map((words) => html`<p>${line(words)}</p>`)}</details>\n`;
}
