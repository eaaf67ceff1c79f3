import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Verdict } from '../../language/rules/decide/decision.ts';
import type { Rule } from '../../language/rules/rule.ts';
import { firstOf } from '../../views/text/text-layout.ts';
import type { Evaluation } from './evaluate-rules.ts';

const NAMED_MAX = 10;

/** Variants of a rule that explain why the rule has no verdict. */
export interface AbsenceProbes {
  /** The rule without its `where`, to find the subjects that have rows. */
  readonly withRows: Rule;
  /** The rule with its `where`, to find the subjects that match. */
  readonly chosen: Rule;
  readonly ofAnyCurrency: Rule;
}

export function absenceProbes(rule: Rule): AbsenceProbes {
  const grain = rule.for === 'budget' || rule.for === 'account' ? 'campaign' : rule.for;
  const silent = { ...rule, for: grain, change: undefined, alert: undefined } as const;
  // No rule file can have these names, so they are unique.
  return {
    ofAnyCurrency: { ...silent, name: `${rule.name} / of any currency`, where: undefined, currency: undefined },
    withRows: { ...silent, name: `${rule.name} / with rows`, where: undefined },
    chosen: { ...silent, name: `${rule.name} / chosen` },
  };
}

export function isAbout({ subject }: Verdict, campaign: CampaignId, { accounts }: Evaluation): boolean {
  if (subject.campaignId === campaign) return true;
  const own = accounts.find(({ customerId }) => customerId === subject.customerId)?.campaigns.get(campaign);
  if (own === undefined) return false;
  return subject.kind === 'account' || (subject.kind === 'budget' && subject.budgetId === own.budgetId);
}

export function accountOfCampaign(campaign: CampaignId, { accounts, verdicts }: Evaluation): CustomerId | undefined {
  const byBudget = accounts.find(({ campaigns }) => campaigns.has(campaign))?.customerId;
  return byBudget ?? verdicts.find(({ subject }) => subject.campaignId === campaign)?.subject.customerId;
}

export function whyAbsent(
  { name, for: kind }: Rule,
  campaign: CampaignId,
  customer: CustomerId,
  { withRows, chosen }: AbsenceProbes,
  { rules, verdicts }: Evaluation,
): string {
  const saysNothing = `Rule ${name} does not cover campaign ${campaign}`;
  const own = rules.find((one) => one.rule === name && one.customerId === customer);
  if (own?.notEvaluated !== undefined) {
    return `${saysNothing}: the rule was not evaluated for account ${customer} (${own.notEvaluated}).`;
  }
  const has = (rule: Rule) => verdicts.some((one) => one.rule === rule && one.subject.campaignId === campaign);
  if (!has(withRows)) return `${saysNothing}: the campaign has no rows in the rule's days.`;
  if (!has(chosen)) return `${saysNothing}: the "where" of the rule excludes the campaign.`;
  if (kind === 'budget')
    return `${saysNothing}: its budget is unknown, or the "where" of the rule excludes another campaign of that budget.`;
  return `${saysNothing}.`;
}

/** Lists budgets that `where` excludes although some of their campaigns match. */
export function leftOutBudgets(rule: Rule, { chosen }: AbsenceProbes, { verdicts }: Evaluation): string[] {
  if (rule.for !== 'budget' || rule.where === undefined) return [];
  const key = ({ subject }: Verdict) => `${subject.customerId} ${subject.budgetId}`;
  const judged = new Set(verdicts.filter((one) => one.rule === rule).map(key));
  const left = verdicts.filter(
    (one) => one.rule === chosen && one.subject.budgetId !== undefined && !judged.has(key(one)),
  );
  const budgets = new Map<string, BudgetId | undefined>(left.map((one) => [key(one), one.subject.budgetId]));
  if (budgets.size === 0) return [];
  const names = firstOf([...budgets.values()].map(String), NAMED_MAX);
  return [`Left out: budget ${names}. The "where" of the rule matches only some of its campaigns.`];
}
