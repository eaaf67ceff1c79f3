import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Verdict } from '../../rules/decide/decision.ts';
import type { Rule } from '../../rules/rule.ts';
import { firstOf } from '../../text/text-layout.ts';
import type { Evaluation } from './evaluate-rules.ts';

/** So many budgets are named in a sentence. */
const NAMED_MAX = 10;

/** What a rule is asked beside itself, so that it can be said why it has nothing to say. Neither changes or tells anything. */
export interface AbsenceProbes {
  /** The campaigns of a rule for budgets or accounts, the rule's own subjects elsewhere: those that have rows. */
  readonly withRows: Rule;
  /** Of these, those that `where` lets through. */
  readonly chosen: Rule;
  /** As `withRows`, in accounts of any currency. */
  readonly ofAnyCurrency: Rule;
}

export function absenceProbes(rule: Rule): AbsenceProbes {
  const grain = rule.for === 'budget' || rule.for === 'account' ? 'campaign' : rule.for;
  const silent = { ...rule, for: grain, change: undefined, alert: undefined } as const;
  // No rule file has such names.
  return {
    ofAnyCurrency: { ...silent, name: `${rule.name} / of any currency`, where: undefined, currency: undefined },
    withRows: { ...silent, name: `${rule.name} / with rows`, where: undefined },
    chosen: { ...silent, name: `${rule.name} / chosen` },
  };
}

/** Whether the verdict is about the campaign, or about the budget or the account that holds it. */
export function isAbout({ subject }: Verdict, campaign: CampaignId, { accounts }: Evaluation): boolean {
  if (subject.campaignId === campaign) return true;
  const own = accounts.find(({ customerId }) => customerId === subject.customerId)?.campaigns.get(campaign);
  if (own === undefined) return false;
  return subject.kind === 'account' || (subject.kind === 'budget' && subject.budgetId === own.budgetId);
}

/** The account that has the campaign, as far as budgets and rows tell; undefined when none has. */
export function accountOfCampaign(campaign: CampaignId, { accounts, verdicts }: Evaluation): CustomerId | undefined {
  const byBudget = accounts.find(({ campaigns }) => campaigns.has(campaign))?.customerId;
  return byBudget ?? verdicts.find(({ subject }) => subject.campaignId === campaign)?.subject.customerId;
}

/** Why a rule says nothing of a campaign that an account has, one sentence. */
export function whyAbsent(
  { name, for: kind }: Rule,
  campaign: CampaignId,
  customer: CustomerId,
  { withRows, chosen }: AbsenceProbes,
  { rules, verdicts }: Evaluation,
): string {
  const saysNothing = `The rule ${name} says nothing of campaign ${campaign}`;
  const own = rules.find((one) => one.rule === name && one.customerId === customer);
  if (own?.notEvaluated !== undefined) {
    return `${saysNothing}: it was not evaluated for account ${customer} (${own.notEvaluated}).`;
  }
  const has = (rule: Rule) => verdicts.some((one) => one.rule === rule && one.subject.campaignId === campaign);
  if (!has(withRows)) return `${saysNothing}: the campaign has no rows in the rule's days.`;
  if (!has(chosen)) return `${saysNothing}: its where leaves the campaign out.`;
  if (kind === 'budget')
    return `${saysNothing}: its budget is not known, or its where leaves out another of its campaigns.`;
  return `${saysNothing}.`;
}

/** The budgets that `where` leaves out although it lets some of their campaigns through, one sentence; none elsewhere. */
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
  return [`Left out, because where lets only some of its campaigns through: budget ${names}.`];
}
