import type { Frozen } from '../../domain/frozen.ts';
import { html } from '../../html/html.ts';
import { linkFrom, PAGES } from '../../html/pages.ts';
import type { ChangedBudget } from '../../store/budgets/past-changes.ts';
import { CHANGED_BUDGET_COLUMNS } from '../../views/budget-columns.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { frame } from './frame.ts';

const { path, title } = PAGES.budgets;

export interface BudgetsFacts {
  readonly frozen: Frozen | undefined;
  /** The one that something happened to last comes first. */
  readonly budgets: readonly ChangedBudget[];
  /** From which page, counted from 1, and whether there is one more. */
  readonly page: number;
  readonly hasMore: boolean;
}

export function budgetsPage({ budgets, page, hasMore, frozen }: BudgetsFacts): string {
  const caption = 'The one that something happened to last comes first';
  const list = htmlTable(sheetOf(CHANGED_BUDGET_COLUMNS, budgets, 'people'), { caption, path });
  const ways = [
    page > 1 && html`<a href="${linkFrom(path, path)}?page=${page - 1}" rel="prev">Newer</a>`,
    hasMore && html`<a href="${linkFrom(path, path)}?page=${page + 1}" rel="next">Older</a>`,
  ];
  const none = html`<p>No budget was changed yet, and none was to be.</p>`;
  return frame({
    path,
    title,
    frozen,
    isKnown: true,
    body: html`<h1>${title}</h1><p>Those of which something was decided, or that someone else changed.</p>
${budgets.length > 0 ? list : none}<p class="ways">${ways}</p>`,
  });
}
