import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import { type BudgetMutation, mutateBudget } from '../apis/ads/mutate-budget.ts';
import type { CivilDate } from '../domain/civil-date.ts';
import type { Clock } from '../domain/clock.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import { formatMoney } from '../domain/micros.ts';
import { withRetries } from '../http/retry.ts';
import { type Intent, type IntentStep, updateIntent } from '../store/intent-table.ts';
import type { StateFile } from '../store/open-state.ts';
import { enqueueAlert } from '../store/outbox-table.ts';
import { alertFor } from './describe-change.ts';
import { readBudgets } from './read-budgets.ts';

/** What became of one attempt to carry an intent out. */
export type Application =
  | { readonly kind: 'applied' | 'confirmed' }
  | { readonly kind: 'rejected' | 'unknown' | 'superseded' | 'expired'; readonly reason: string }
  /** Surely not done, for a reason that may pass: the next run decides anew. */
  | { readonly kind: 'postponed'; readonly reason: string };

export interface BudgetDeps {
  readonly state: StateFile;
  readonly ads: AdsConnection;
  readonly clock: Clock;
}

/**
 * Carries out an intent that is committed: asks whether the change would be accepted, commits `sending`, sends the
 * absolute amount, and commits the answer with its alert in one transaction. `accountDay` is the account's today: the
 * day the change counts for is the day it is sent. `provenUnmade`: the budget was read and has the amount from before the
 * change. Never throws for an answer of the service.
 */
export async function applyIntent(
  deps: BudgetDeps,
  intent: Intent,
  accountDay: CivilDate,
  provenUnmade: boolean,
): Promise<Application> {
  const { ads } = deps;
  const mutation: BudgetMutation = { customer: intent.customerId, budget: intent.budgetId, amount: intent.to };
  try {
    await withRetries(ads.retry, ads.pauses, 'read', () => mutateBudget(ads, mutation, { validateOnly: true }));
  } catch (error) {
    return settleFailure(deps, intent, error, 'validation', provenUnmade);
  }
  if (!mayHaveBeenSent(intent)) await step(deps, intent, { state: 'validated' });
  await step(deps, intent, { state: 'sending', accountDay });
  try {
    const answer = await withRetries(ads.retry, ads.pauses, 'write', () =>
      mutateBudget(ads, mutation, { validateOnly: false }),
    );
    if (answer === 'silent') await proveByReading(deps, intent);
  } catch (error) {
    return settleFailure(deps, intent, error, 'change', provenUnmade);
  }
  await finish(deps, intent, 'applied');
  return { kind: 'applied' };
}

/**
 * A success that does not name the budget is believed where the budget cannot be read, because then the status is all
 * there is; elsewhere the budget itself has to show the amount. Throws `ApiError` when it does not.
 */
async function proveByReading({ ads, state }: BudgetDeps, intent: Intent): Promise<void> {
  const book = await readBudgets({ ads, db: state.db }, intent.customerId, new Map());
  const live = book.amounts.get(intent.budgetId);
  if (book.source === 'declared' || live === intent.to) return;
  const found = live === undefined ? 'no amount' : formatMoney(live, intent.currency);
  const message = `The change was answered with a success that names no budget, and the budget shows ${found}.`;
  throw new ApiError(message, { status: 'WRONG_ANSWER', outcome: 'unknown', transient: false });
}

/**
 * A validation changes nothing whatever became of it, so only a change can be made without an answer. But what an earlier
 * run sent without an answer stays unknown until an answer or a reading says otherwise: a passing failure of this attempt
 * says nothing about it, and a refusal only where the budget was read and still had its old amount.
 */
async function settleFailure(
  deps: BudgetDeps,
  intent: Intent,
  error: unknown,
  stage: 'validation' | 'change',
  provenUnmade: boolean,
): Promise<Application> {
  if (!(error instanceof ApiError)) throw error;
  const reason = explainFailure(error);
  const passing = error.transient || error.outcome === 'unknown' || error.status === 'UNAUTHENTICATED';
  const stillOpen = mayHaveBeenSent(intent) && (passing || !provenUnmade);
  if (stillOpen || (stage === 'change' && error.outcome === 'unknown')) {
    await finish(deps, intent, 'unknown', error.status, reason);
    return { kind: 'unknown', reason };
  }
  if (passing) {
    await step(deps, intent, { state: 'planned', code: error.status, outcome: reason });
    return { kind: 'postponed', reason };
  }
  const code = error.details[0]?.code ?? error.status;
  await finish(deps, intent, 'rejected', code, reason);
  return { kind: 'rejected', reason };
}

/** Whether a request for the change may have reached the service before this attempt. */
export function mayHaveBeenSent(intent: Intent): boolean {
  return intent.state === 'sending' || intent.state === 'unknown';
}

/** A step on the way: nothing to tell anybody yet. */
export function step(deps: Pick<BudgetDeps, 'state' | 'clock'>, intent: Intent, to: IntentStep): Promise<void> {
  return updateIntent(deps.state.db, intent.id, to, deps.clock.now());
}

/** An end, or the loss of sight that `unknown` is, committed together with its alert. */
export async function finish(
  deps: BudgetDeps,
  intent: Intent,
  state: 'applied' | 'confirmed' | 'rejected' | 'unknown' | 'superseded',
  code?: string,
  outcome?: string,
): Promise<void> {
  const nowMs = deps.clock.now();
  await deps.state.db.transaction().execute(async (trx) => {
    await updateIntent(trx, intent.id, { state, code, outcome }, nowMs);
    await enqueueAlert(trx, alertFor(intent, state, outcome), nowMs);
  });
}
