import { type BudgetSubject, whoDecided } from '../domain/budget-change.ts';
import type { CampaignId, CustomerId } from '../domain/ids.ts';
import { formatMoneyChange } from '../domain/micros.ts';
import { pathOf } from '../domain/pages.ts';
import { CUSTOMER, SUBJECT } from '../storage/columns/budget-columns.ts';
import type { Column } from '../storage/columns/column.ts';
import type { Intent } from '../storage/records/budgets/intent-table.ts';
import { onPage } from './kit/page-column.ts';

/** A change by pacekeeper or by others that took effect. */
export type LastChange = { readonly at: string; readonly from: bigint; readonly to: bigint } & (
  | { readonly by: 'elsewhere' }
  | ({ readonly by: 'us' } & Pick<Intent, 'origin' | 'undoes' | 'actor' | 'rule' | 'ruleVersion'>)
);

/** A budget that a table, the settings or a change shows. Amounts are in micros. */
export interface KnownBudget extends BudgetSubject {
  readonly customerId: CustomerId;
  readonly accountName: string | undefined;
  readonly currency: string | undefined;
  /** Campaigns that are known to use the budget. */
  readonly campaigns: readonly CampaignId[];
  /** The amount now. Undefined if the newest listing does not have the budget. */
  readonly amount: bigint | undefined;
  readonly source: string | undefined;
  /** Complete days of the range only. Undefined if the campaigns of the budget are unknown. */
  readonly spend: bigint | undefined;
  /** Complete days of the account in the range. */
  readonly days: number;
  /** Changes in the range. */
  readonly changes: number;
  readonly last: LastChange | undefined;
  /** Addresses of the rows behind the numbers. */
  readonly amountPath: string | undefined;
  readonly spendPath: string | undefined;
}

/** The spend as a share of today's amount times the complete days. */
export function usedShare({ spend, amount, days }: Pick<KnownBudget, 'spend' | 'amount' | 'days'>): number | undefined {
  if (spend === undefined || amount === undefined || amount === 0n || days === 0) return undefined;
  return Number(spend) / (Number(amount) * days);
}

export function lastBy(last: LastChange): string {
  if (last.by === 'elsewhere') return 'changed elsewhere';
  return last.origin === 'rule' ? `rule ${last.rule}` : whoDecided({ ...last, ruleVersion: '' });
}

export const KNOWN_BUDGET_COLUMNS: readonly Column<KnownBudget>[] = [
  SUBJECT,
  CUSTOMER,
  onPage.money('Daily budget', 'amount', { link: ({ amountPath }) => amountPath }),
  onPage.text('Amount from', 'source'),
  onPage.money('Spend', 'spend', { rounded: true, link: ({ spendPath }) => spendPath }),
  onPage.share('Used', usedShare),
  onPage.count('Changes', 'changes', {
    link: ({ changes, customerId, budgetId }) =>
      changes === 0 ? undefined : pathOf('budget', { customer: customerId, budget: budgetId }),
  }),
  onPage.text('Last change', ({ last }) => last && lastBy(last), {
    shown: ({ last, currency }) => last && `${formatMoneyChange(last.from, last.to, currency)}, ${lastBy(last)}`,
  }),
  onPage.instant('When', ({ last }) => last?.at),
];
