import type { MutationOutcome } from '../apis/ads/mutate-budgets.ts';
import { type ApiError, explainFailure } from '../domain/errors.ts';
import { NOT_SENT_BY_STOP } from '../domain/ports.ts';
import { enqueueAlert } from '../store/alerts/alert-table.ts';
import { reasonOfIntent } from '../store/budgets/decision-table.ts';
import { type Intent, type IntentStep, moveIntent } from '../store/budgets/intent-table.ts';
import { knownAccount } from '../store/runs/account-table.ts';
import type { StateDb } from '../store/sqlite/open-state.ts';
import type { Application, BudgetDeps } from './budget-deps.ts';
import { alertFor } from './describe-change.ts';
import type { SendOutcome } from './send-operations.ts';

/** An intent on its way, with what is known of its budget. */
export interface Entry {
  readonly intent: Intent;
  /** Whether a request for the change may have reached the service in an earlier run. */
  readonly sentBefore: boolean;
  /** The budget was read and has the amount from before the change. */
  readonly provenUnmade: boolean;
  /** What the decision to go on was made on, for the record. */
  readonly read: Readonly<Record<string, unknown>>;
}

/** A step, and what it means for the caller; an intent that goes on has no application yet. */
export interface Conclusion {
  readonly step: IntentStep;
  readonly application: Application;
}

/**
 * Moves an intent on in the caller's transaction, with the alert where the step has something to tell. What was about to
 * be sent and was not is surely not made: only by way of `planned` does it expire.
 */
export async function moveOn(
  trx: StateDb,
  { clock, locale }: Pick<BudgetDeps, 'clock' | 'locale'>,
  intent: Intent,
  step: IntentStep,
): Promise<Intent> {
  const nowMs = clock.now();
  const from =
    intent.state === 'sending' && step.to === 'expired'
      ? await moveIntent(trx, intent, { ...step, to: 'planned' }, nowMs)
      : intent;
  const moved = await moveIntent(trx, from, step, nowMs);
  const account = await knownAccount(trx, moved.customerId);
  const told = { ...moved, reasonWithoutAmounts: await reasonOfIntent(trx, moved.id) };
  const alert = alertFor(told, { name: account?.name, locale: locale(moved.customerId) });
  if (alert) await enqueueAlert(trx, alert, nowMs);
  return moved;
}

/** Nothing is known now that was not known before, and why. */
export function leftOpen({ sentBefore }: Pick<Entry, 'sentBefore'>, code: string, reason: string): Conclusion {
  return sentBefore
    ? { step: { to: 'unknown', code, outcome: reason }, application: { kind: 'unknown', reason } }
    : { step: { to: 'planned', code, outcome: reason }, application: { kind: 'postponed', reason } };
}

/**
 * What a failure, the kill switch, or being asked to stop makes of an intent. A validation changes nothing whatever became of it, so only a
 * change can be made without an answer. But what an earlier run sent without an answer stays unknown until an answer or a
 * reading says otherwise: a passing failure of this attempt says nothing about it, and a refusal only where the budget was
 * read and still had its old amount.
 */
export function conclude(
  entry: Entry,
  outcome: Exclude<SendOutcome, { readonly kind: 'accepted' }>,
  stage: 'validate' | 'mutate',
): Conclusion {
  if (outcome.kind === 'stopped') return leftOpen(entry, 'STOPPED', NOT_SENT_BY_STOP);
  if (outcome.kind === 'frozen') {
    const reason = `Budget changes are ${outcome.reason}.`;
    if (entry.sentBefore) return leftOpen(entry, 'FROZEN', reason);
    return { step: { to: 'expired', code: 'FROZEN', outcome: reason }, application: { kind: 'expired', reason } };
  }
  const { error } = outcome;
  const reason = explainFailure(error);
  const detail = { answer: failureFacts(error) };
  const passing = error.transient || error.outcome === 'unknown' || error.status === 'UNAUTHENTICATED';
  const stillOpen = entry.sentBefore && (passing || !entry.provenUnmade);
  if (stillOpen || (stage === 'mutate' && error.outcome === 'unknown')) {
    const step = { to: 'unknown', code: error.status, outcome: reason, detail } as const;
    return { step, application: { kind: 'unknown', reason } };
  }
  if (passing) {
    const step = { to: 'planned', code: error.status, outcome: reason, detail } as const;
    return { step, application: { kind: 'postponed', reason } };
  }
  const code = error.details[0]?.code ?? error.status;
  return { step: { to: 'rejected', code, outcome: reason, detail }, application: { kind: 'rejected', reason } };
}

/** What came back, for the record. */
function failureFacts(error: ApiError): Readonly<Record<string, unknown>> {
  const { status, httpStatus, requestId, details, outcome } = error;
  return { status, http_status: httpStatus, request_id: requestId, errors: details, outcome };
}

export function acceptanceFacts(outcome: Extract<MutationOutcome, { readonly kind: 'accepted' }>) {
  return { request_id: outcome.requestId, names_the_budget: outcome.named };
}
