import type { StateApp } from '../../app.ts';
import { html } from '../../html/html.ts';
import { linkFrom, PAGES } from '../../html/pages.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { changedBudgets } from '../../store/budgets/past-changes.ts';
import { CHANGED_BUDGET_COLUMNS } from '../../views/budget-columns.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { stateFrame } from './frame.ts';

const { path, title } = PAGES.budgets;

const BUDGETS_MAX = 100;
const PAGES_MAX = 10_000;

export async function budgetsPage(app: StateApp, query: URLSearchParams): Promise<string> {
  const wanted = Number(/^\d{1,5}$/.exec(query.get('page') ?? '')?.[0] ?? 1);
  const page = Math.min(Math.max(1, wanted), PAGES_MAX);
  const found = await changedBudgets(app.state.db, { limit: BUDGETS_MAX + 1, offset: (page - 1) * BUDGETS_MAX });
  const budgets = redactTexts(found.slice(0, BUDGETS_MAX), app.settings);
  const caption = 'Latest activity first';
  const list = htmlTable(sheetOf(CHANGED_BUDGET_COLUMNS, budgets, 'people'), { caption, path });
  const ways = [
    page > 1 && html`<a href="${linkFrom(path, path)}?page=${page - 1}" rel="prev">Newer</a>`,
    found.length > BUDGETS_MAX && html`<a href="${linkFrom(path, path)}?page=${page + 1}" rel="next">Older</a>`,
  ];
  const none = html`<p>No budget changes or suggestions yet.</p>`;
  return stateFrame(app, {
    path,
    title,
    body: html`<h1>${title}</h1><p>Budgets changed or suggested, here or elsewhere.</p>
${budgets.length > 0 ? list : none}<p class="ways">${ways}</p>`,
  });
}
