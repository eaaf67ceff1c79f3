import type { Frozen } from '../../domain/frozen.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import { html } from '../html.ts';
import { named, table } from '../table.ts';
import { budgetLink } from './budget-link.ts';
import { frame } from './frame.ts';
import { linkFrom, PAGES } from './pages.ts';
import { instant, line, number } from './parts.ts';

const { path, title } = PAGES.budgets;

export interface BudgetsFacts {
  readonly frozen: Frozen | undefined;
  /** The one that something happened to last comes first. */
  readonly budgets: readonly {
    readonly customerId: CustomerId;
    readonly accountName: string | undefined;
    readonly budgetId: BudgetId;
    readonly campaignName: string | undefined;
    readonly changes: bigint;
    readonly lastAt: string;
  }[];
  /** From which page, counted from 1, and whether there is one more. */
  readonly page: number;
  readonly hasMore: boolean;
}

export function budgetsPage({ budgets, page, hasMore, frozen }: BudgetsFacts): string {
  const list = table({
    caption: 'The one that something happened to last comes first',
    columns: [{ title: 'Campaign' }, { title: 'Account' }, { title: 'Changes', numeric: true }, { title: 'Last' }],
    rows: budgets.map((budget) => [
      budgetLink(path, budget),
      html`${named(line(budget.accountName ?? budget.customerId))} <small>${budget.customerId}</small>`,
      number(budget.changes),
      instant(budget.lastAt),
    ]),
  });
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
