import { type BudgetSubject, subjectOf } from '../../domain/budget-subject.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { type Html, html } from '../html.ts';
import { named } from '../table.ts';
import { linkFrom, pathOf } from './pages.ts';
import { line } from './parts.ts';

/** The campaign's name, or the budget's number, leading to the budget's own page; `path` is that of the page it stands on. */
export function budgetLink(path: string, budget: BudgetSubject & { readonly customerId: CustomerId }): Html {
  const href = linkFrom(path, pathOf('budget', { customer: budget.customerId, budget: budget.budgetId }));
  return html`<a href="${href}">${named(budgetName(budget))}</a>`;
}

export function budgetName(budget: BudgetSubject): string {
  return subjectOf(budget, 'short', line);
}
