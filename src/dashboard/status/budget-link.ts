import { type BudgetSubject, subjectOf } from '../../domain/budget-change.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { linkFrom, pathOf } from '../../domain/pages.ts';
import { type Html, html } from '../../views/html/html.ts';
import { line } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';

/** `path` is the page on which the link appears. */
export function budgetLink(path: string, budget: BudgetSubject & { readonly customerId: CustomerId }): Html {
  const href = linkFrom(path, pathOf('budget', { customer: budget.customerId, budget: budget.budgetId }));
  return html`<a href="${href}">${named(budgetName(budget))}</a>`;
}

export function budgetName(budget: BudgetSubject): string {
  return subjectOf(budget, 'short', line);
}
