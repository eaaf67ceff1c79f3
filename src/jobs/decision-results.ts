import type { Application } from '../budgets/budget-deps.ts';
import { isApproved } from '../budgets/describe-change.ts';
import { originOf } from '../report/render-decisions.ts';
import type { DecisionResult } from '../report/report-result.ts';
import type { Decision } from '../rules/decision.ts';
import type { Intent } from '../store/intent-table.ts';

/** A decision as a run tells it; one that changes something as a proposal, which it is until more becomes of it. */
export function decisionResult(
  { currency }: { readonly currency: string | undefined },
  decision: Decision,
): DecisionResult {
  const { rule, subject } = decision.wish;
  const { customerId, campaignId, campaignName, label } = subject;
  const about = { rule: rule.name, customerId, campaignId, campaignName, subject: label };
  const none = { intentId: undefined, proposal: undefined };
  if (decision.kind === 'refused') {
    const { wish, code, reason: detail } = decision;
    const amounts = { budgetId: wish.budgetId, currency, from: undefined, to: undefined };
    return { ...about, ...amounts, ...none, state: 'refused', code, reason: wish.because, detail };
  }
  const { budgetId, from, to, reason } = decision;
  const change = { budgetId, currency: decision.currency, from, to, reason };
  return { ...about, ...change, ...none, state: 'proposed', mode: decision.mode, code: undefined, detail: undefined };
}

/** What became of an intent, as a run tells it. */
export function intentResult(intent: Intent, application: Application): DecisionResult {
  const { id, rule, customerId, budgetId, campaignId, campaignName, currency, from, to, reason } = intent;
  return {
    ...{ rule, customerId, budgetId, campaignId, campaignName, currency, from, to, reason },
    subject: subjectOf(intent),
    state: application.kind,
    code: undefined,
    intentId: id,
    proposal: undefined,
    origin: intent.kind === 'undo' || isApproved(intent) ? originOf(intent) : undefined,
    detail: 'reason' in application ? application.reason : undefined,
  };
}

export function subjectOf({
  campaignId,
  campaignName,
  budgetId,
}: Pick<Intent, 'campaignId' | 'campaignName' | 'budgetId'>): string {
  if (campaignId === undefined) return `budget ${budgetId}`;
  return campaignName === undefined ? `campaign ${campaignId}` : `${campaignName} (campaign ${campaignId})`;
}
