import { subjectOf } from '../../domain/budget-change.ts';
import type { PlannedDecision } from '../../domain/decision-facts.ts';
import type { BudgetId, CampaignId } from '../../domain/ids.ts';
import type { Decision, Subject } from '../../language/rules/decide/decision.ts';
import type { CampaignBudget } from '../../language/rules/evaluate/evaluated-account.ts';
import type { Redact } from '../../services/http/redact.ts';
import { tellableName } from '../../services/http/tellable.ts';
import { mapTexts } from '../redact-texts.ts';
import type { AccountDecisions } from './evaluate-rules.ts';

/** The facts that the ledger would have. A change counts as suggested until it is planned. */
export function plannedDecision(
  account: Pick<AccountDecisions, 'currency' | 'campaigns'>,
  decision: Decision,
  redact: Redact,
): PlannedDecision {
  const { rule, subject, because } = decision.request;
  const budgetId = decision.kind === 'change' ? decision.budgetId : decision.request.budgetId;
  const changed = changedIn(account, subject, budgetId);
  const about = {
    origin: 'rule',
    rule: rule.name,
    ruleVersion: rule.version,
    customerId: subject.customerId,
    budgetId,
    campaignId: changed.campaignId,
    campaignName: tellableName(changed.campaignName, redact),
    subject: redact(changed.subject),
    intent: undefined,
    proposal: undefined,
  } as const;
  if (decision.kind === 'refused') {
    const { code, facts } = decision.refusal;
    return {
      ...about,
      kind: 'refusal',
      currency: account.currency,
      from: undefined,
      to: undefined,
      mode: undefined,
      code,
      facts: mapTexts(facts, redact),
      reason: redact(because),
    };
  }
  const { currency, from, to, mode } = decision;
  return {
    ...about,
    kind: 'would_change',
    currency,
    from,
    to,
    mode,
    code: undefined,
    facts: undefined,
    reason: redact(decision.reason),
    change: redact(decision.change),
  };
}

/** For a rule about the account, a budget with only one campaign gets the name of this campaign. */
export function changedIn(
  { campaigns }: { readonly campaigns: ReadonlyMap<CampaignId, Pick<CampaignBudget, 'budgetId' | 'campaignName'>> },
  { kind, campaignId, campaignName, label }: Subject,
  budgetId: BudgetId | undefined,
): Pick<Subject, 'campaignId' | 'campaignName'> & { readonly subject: string } {
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
