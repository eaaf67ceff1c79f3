import { type BudgetSubject, whoDecided } from '../domain/budget-change.ts';
import type { CivilDate } from '../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../domain/ids.ts';
import { formatMoneyChange, highestOf, sumOfKnown } from '../domain/micros.ts';
import { pathOf } from '../domain/pages.ts';
import { CUSTOMER, SUBJECT } from '../storage/columns/budget-columns.ts';
import type { Column } from '../storage/columns/column.ts';
import type { Intent } from '../storage/records/budgets/intent-table.ts';
import { campaignLink } from './html/parts.ts';
import { costText } from './html/wording.ts';
import { onPage } from './kit/page-column.ts';
import { changeShare, changeText } from './report/comparison.ts';

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
  /** The same campaigns. */
  readonly campaignNames: readonly string[];
  /** The amount now. Undefined if the newest listing does not have the budget. */
  readonly amount: bigint | undefined;
  readonly source: string | undefined;
  /** Complete days of the range only. Undefined if the campaigns of the budget are unknown. */
  readonly spend: bigint | undefined;
  /** The sum of the amounts that were in force on these days. Undefined if one of them is unknown. */
  readonly available: bigint | undefined;
  /** Changes in the range. */
  readonly changes: number;
  readonly last: LastChange | undefined;
  /** Undefined unless all days of the range and of the compared range are complete. */
  readonly before?: { readonly spend: bigint | undefined; readonly days: number; readonly ownDays: number } | undefined;
  /** Addresses of the rows behind the numbers. */
  readonly amountPath: string | undefined;
  readonly spendPath: string | undefined;
}

export function usedShare({ spend, available = 0n }: Pick<KnownBudget, 'spend' | 'available'>): number | undefined {
  return spend === undefined || available === 0n ? undefined : Number(spend) / Number(available);
}

/** A change of the budget by anyone. */
interface BudgetStep {
  readonly accountDay: CivilDate;
  readonly from: bigint;
  readonly to: bigint;
}

/** The sum over the days. On a day with a change, the highest amount counts. `steps`: oldest first. */
export function amountInForce(
  days: readonly CivilDate[],
  steps: readonly BudgetStep[],
  now: bigint | undefined,
): bigint | undefined {
  return sumOfKnown(
    days.map((day) => {
      const [first, ...others] = steps
        .filter(({ accountDay }) => accountDay === day)
        .flatMap(({ from, to }) => [from, to]);
      if (first !== undefined) return highestOf(first, ...others);
      const before = steps.findLast(({ accountDay }) => accountDay < day);
      return before?.to ?? steps.find(({ accountDay }) => accountDay > day)?.from ?? now;
    }),
  );
}

export function lastBy(last: LastChange): string {
  if (last.by === 'elsewhere') return 'changed elsewhere';
  return last.origin === 'rule' ? `rule ${last.rule}` : whoDecided({ ...last, ruleVersion: '' });
}

function changeOf({ spend, before }: KnownBudget): number | undefined {
  return before && changeShare(spend, before.ownDays, before.spend, before.days);
}

export const KNOWN_BUDGET_COLUMNS: readonly Column<KnownBudget>[] = [
  { ...SUBJECT, note: campaignLink },
  CUSTOMER,
  onPage.money('Daily budget', 'amount', { link: ({ amountPath }) => amountPath, importance: 2 }),
  onPage.money('Spend', 'spend', { rounded: true, link: ({ spendPath }) => spendPath, importance: 2 }),
  onPage.share('Change of spend', changeOf, {
    shown: (row) => changeText(changeOf(row)),
    note: ({ before, currency }) => {
      const from = before && costText(before.spend, currency);
      if (before === undefined || from === undefined) return undefined;
      return before.days === before.ownDays ? `from ${from}` : `per day, from ${from} in ${before.days} days`;
    },
  }),
  onPage.share('Used', usedShare, { importance: 2 }),
  onPage.text('Last change', ({ last }) => last && lastBy(last), {
    shown: ({ last, currency }) => last && `${formatMoneyChange(last.from, last.to, currency)}, ${lastBy(last)}`,
  }),
  onPage.instant('When', ({ last }) => last?.at),
  onPage.count('Changes', 'changes', {
    link: ({ changes, customerId, budgetId }) =>
      changes === 0 ? undefined : pathOf('budget', { customer: customerId, budget: budgetId }),
  }),
  onPage.text('Amount from', 'source'),
];
