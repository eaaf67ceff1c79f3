import type { CivilDate } from '../../domain/civil-date.ts';
import { ApiError, explainFailure } from '../../domain/errors.ts';
import type { Micros } from '../../domain/micros.ts';
import type { ShowInstant } from '../../domain/wording.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { BudgetDeps } from './budget-deps.ts';
import { applyIntents, budgetsNow } from './carry-out.ts';
import type { BudgetBook } from './read-budgets.ts';

/** The person who undoes or approves a change. */
export interface Person {
  readonly by: string;
  readonly why: string;
  /** Identifies the message in which the person decided. */
  readonly reply?: string | undefined;
  readonly runId?: bigint;
  /** True if the person overrides limits. A reply from a phone can never override limits. */
  readonly beyondLimits?: boolean;
  /** If undefined, times are in UTC. */
  readonly showInstant?: ShowInstant | undefined;
}

export interface Refusal {
  readonly kind: 'refused';
  readonly code: string;
  readonly reason: string;
}

export type PersonalResult = Refusal | { readonly kind: 'sent'; readonly intent: Intent };

export async function sendNow(deps: BudgetDeps, intent: Intent, accountDay: () => CivilDate): Promise<PersonalResult> {
  const ends = await applyIntents(deps, intent.customerId, [intent], accountDay);
  return { kind: 'sent', intent: ends.get(intent.id) ?? intent };
}

export function refused(code: string, reason: string): Refusal {
  return { kind: 'refused', code, reason };
}

export async function readBook(
  deps: BudgetDeps,
  { customerId }: Pick<Intent, 'customerId'>,
): Promise<{ readonly kind: 'read'; readonly book: BudgetBook } | Refusal> {
  try {
    return { kind: 'read', book: await budgetsNow(deps, customerId) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refused('NOT_READ', `The budget could not be read: ${explainFailure(error)}`);
  }
}

export function underWayWords({ id, state }: Intent): string {
  return `B${id} of the same budget is ${state}. Run "pacekeeper budgets reconcile" first.`;
}

/** Refuses a declared amount if the change was decided on an amount from the service. */
export function amountInBook(book: BudgetBook, { budgetId, amountSource }: DecidedChange): Micros | Refusal {
  const live = book.amounts.get(budgetId);
  if (live !== undefined && !(book.source === 'declared' && amountSource === 'read')) return live;
  const why = book.unreadable.get(budgetId)?.total
    ? 'is now a total budget (CUSTOM_PERIOD), which has no daily amount'
    : 'could not be read, so its amount is not known';
  return refused('NOT_READ', `Budget ${budgetId} ${why}.`);
}

export function aboutChange(change: DecidedChange, book: BudgetBook, accountDay: CivilDate) {
  const { customerId, budgetId, campaignId, campaignName, currency, rule, ruleVersion, floor, ceiling } = change;
  const budget = { customerId, budgetId, campaignId, campaignName, currency, accountDay };
  const reading = { amountSource: book.source, declared: book.declared.get(budgetId) };
  return { ...budget, ...reading, rule, ruleVersion, floor, ceiling };
}
