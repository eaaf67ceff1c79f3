import { isPersons, isUndo, subjectOf, whoDecided } from '../../domain/budget-change.ts';
import type { BudgetId, CampaignId } from '../../domain/ids.ts';
import type { DecisionResult } from '../../language/results/report-result.ts';
import type { Decision, Subject } from '../../language/rules/decide/decision.ts';
import { refusalWords } from '../../language/rules/decide/refusal-words.ts';
import type { CampaignBudget } from '../../language/rules/evaluate/evaluated-account.ts';
import type { Redact } from '../../services/http/redact.ts';
import { tellableName } from '../../services/http/tellable.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { Application } from '../budgets/budget-deps.ts';
import type { AccountDecisions } from './evaluate-rules.ts';

/** A change counts as proposed until it is sent. */
export function decisionResult(
  account: Pick<AccountDecisions, 'currency' | 'campaigns'>,
  decision: Decision,
  redact: Redact,
): DecisionResult {
  const { rule, subject, budgetId: requested } = decision.request;
  const { currency } = account;
  const changed = changedIn(account, subject, requested);
  const campaignName = tellableName(changed.campaignName, redact);
  const told = { ...changed, campaignName, subject: redact(changed.subject) };
  const none = { intentId: undefined, proposal: undefined };
  const about = { rule: rule.name, customerId: subject.customerId, ...told, ...none };
  if (decision.kind === 'refused') {
    const { request, refusal } = decision;
    return {
      ...about,
      budgetId: request.budgetId,
      currency,
      from: undefined,
      to: undefined,
      state: 'refused',
      code: refusal.code,
      reason: redact(request.because),
      detail: redact(refusalWords(refusal)),
    };
  }
  const { budgetId, from, to, mode } = decision;
  return {
    ...about,
    budgetId,
    currency: decision.currency,
    from,
    to,
    reason: redact(decision.reason),
    change: redact(decision.change),
    mode,
    state: 'proposed',
    code: undefined,
    detail: undefined,
  };
}

/** For a rule about the account, a budget with only one campaign gets the name of this campaign. */
export function changedIn(
  { campaigns }: { readonly campaigns: ReadonlyMap<CampaignId, Pick<CampaignBudget, 'budgetId' | 'campaignName'>> },
  { kind, campaignId, campaignName, label }: Subject,
  budgetId: BudgetId | undefined,
): Pick<Subject, 'campaignId' | 'campaignName'> & Pick<DecisionResult, 'subject'> {
  if (kind !== 'account' || budgetId === undefined) return { campaignId, campaignName, subject: label };
  const own = [...campaigns].filter(([, budget]) => budget.budgetId === budgetId);
  const [only] = own;
  if (only === undefined || own.length > 1) {
    const others = own.length > 1 ? ` (${own.length} campaigns)` : '';
    return { campaignId: undefined, campaignName: undefined, subject: `budget ${budgetId}${others}` };
  }
  const found = { campaignId: only[0], campaignName: only[1].campaignName };
  return { ...found, subject: subjectOf({ ...found, budgetId }, 'with id') };
}

export function aboutDecided(change: DecidedChange & Partial<Pick<Intent, 'origin'>>) {
  const rule = isUndo(change) ? undefined : change.rule;
  const { customerId, budgetId, campaignId, campaignName, currency, from, to, reason } = change;
  const subject = subjectOf(change, 'with id');
  return { rule, customerId, budgetId, campaignId, campaignName, subject, currency, from, to, reason };
}

export function intentResult(intent: Intent, application: Application): DecisionResult {
  return {
    ...aboutDecided(intent),
    state: application.kind,
    code: undefined,
    intentId: intent.id,
    proposal: undefined,
    origin: isPersons(intent) ? whoDecided(intent) : undefined,
    detail: 'reason' in application ? application.reason : undefined,
  };
}
