import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { instantText } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import type { CampaignId, CustomerId } from '../domain/ids.ts';
import type { Redact } from '../http/redact.ts';
import type { ExplainedSubject, ExplanationResult } from '../report/rules-result.ts';
import type { Verdict } from '../rules/decision.ts';
import { describeRule } from '../rules/describe-rule.ts';
import type { Rule } from '../rules/rule.ts';
import { hasReadDays } from '../store/day-table.ts';
import { decisionResult } from './decision-results.ts';
import type { RunAccount } from './discover-accounts.ts';
import { type Evaluation, evaluateRules } from './evaluate-rules.ts';
import {
  type AbsenceProbes,
  absenceProbes,
  accountOfCampaign,
  isAbout,
  leftOutBudgets,
  whyAbsent,
} from './explain-absence.ts';
import { findAccounts } from './find-accounts.ts';
import type { Inputs } from './load-inputs.ts';
import { howToReadMissing } from './read-missing.ts';
import { refuseAmbiguousMoney } from './refuse-ambiguous-money.ts';
import { requireAds } from './require-ads.ts';

export interface ExplainScope {
  readonly customers: readonly CustomerId[];
  /** What concerns this campaign only; undefined for all. */
  readonly campaign: CampaignId | undefined;
}

/**
 * One rule with the numbers it decides on, for each of its subjects; of a campaign its own, its budget's or its account's.
 * Throws `InputError` for a campaign that no account has.
 */
export async function explainRule(
  app: App,
  rule: Rule,
  inputs: Inputs,
  { customers, campaign }: ExplainScope,
): Promise<ExplanationResult> {
  const ads = requireAds(app, 'no rule can be evaluated');
  const accounts = await findAccounts(app, ads, customers);
  refuseAmbiguousMoney({ ...inputs, rules: [rule] }, accounts.found);
  const probes = absenceProbes(rule);
  const asked = needsProbes(rule, campaign) ? [rule, probes.withRows, probes.chosen] : [rule];
  const evaluation = await evaluateRules(app, ads, asked, accounts.found, { dryRun: true, keep: () => true });
  const own = evaluation.verdicts.filter((verdict) => verdict.rule === rule);
  const wanted = campaign === undefined ? own : own.filter((verdict) => isAbout(verdict, campaign, evaluation));
  const results = evaluation.rules.filter((result) => result.rule === rule.name);
  const unread = !(await hasReadDays(app.state.db));
  const notes = [
    ...(campaign === undefined ? leftOutBudgets(rule, probes, evaluation) : []),
    ...(campaign === undefined || wanted.length > 0
      ? []
      : [await whyNothing(app, ads, rule, campaign, { probes, evaluation, accounts: accounts.found })]),
    ...(unread ? [] : howToReadMissing(results)),
  ];
  return {
    rule: describeRule(rule, app.settings.automation.mode),
    evaluatedAt: instantText(app.clock.now()),
    unread,
    target: app.target,
    frozen: await app.killSwitch.standing(),
    accounts: accounts.found,
    rules: results,
    notes,
    subjects: wanted.map((verdict) => explained(verdict, evaluation, app.redact)),
    failures: [...accounts.failures, ...evaluation.failures].map(app.redact),
  };
}

/** Asked for only where something may be absent: it costs as much as the rule itself. */
function needsProbes(rule: Rule, campaign: CampaignId | undefined): boolean {
  return campaign !== undefined || (rule.for === 'budget' && rule.where !== undefined);
}

/** What was evaluated, and for whom. */
interface Asked {
  readonly probes: AbsenceProbes;
  readonly evaluation: Evaluation;
  readonly accounts: readonly RunAccount[];
}

async function whyNothing(
  app: App,
  ads: AdsConnection,
  rule: Rule,
  campaign: CampaignId,
  { probes, evaluation, accounts }: Asked,
): Promise<string> {
  const customer = accountOfCampaign(campaign, evaluation);
  if (customer !== undefined) return whyAbsent(rule, campaign, customer, probes, evaluation);
  // An account of another currency was not looked into: it may have the campaign all the same.
  const looked = new Set(evaluation.accounts.map(({ customerId }) => customerId));
  const others = accounts.filter(({ customerId }) => !looked.has(customerId));
  const elsewhere = await evaluateRules(app, ads, [probes.ofAnyCurrency], others, { dryRun: true, keep: () => true });
  const owner = accountOfCampaign(campaign, elsewhere);
  if (owner !== undefined) return whyAbsent(rule, campaign, owner, probes, evaluation);
  for (const { customerId } of elsewhere.accounts) looked.add(customerId);
  if (accounts.some(({ customerId }) => !looked.has(customerId))) {
    return `No account that could be looked at has a campaign ${campaign}; above is where the rule was not evaluated.`;
  }
  throw new InputError(`No account has a campaign ${campaign}.`, {
    nextStep: `pacekeeper rules explain ${rule.name} shows all that the rule looks at.`,
  });
}

function explained(verdict: Verdict, { accounts }: Evaluation, redact: Redact): ExplainedSubject {
  const alert = verdict.alertText();
  const { subject, truth } = verdict;
  const account = accounts.find(({ customerId }) => customerId === subject.customerId);
  const decisions = account?.decisions.filter(({ wish }) => wish.subject === subject) ?? [];
  return {
    ...{ customerId: subject.customerId, subject: redact(subject.label), truth },
    ...{ campaignId: subject.campaignId, budgetId: subject.budgetId },
    explanation: redact(verdict.explain()),
    clauses: verdict.clauses().map((clause) => ({ ...clause, text: redact(clause.text) })),
    alert: alert && redact(alert),
    decisions: account ? decisions.map((decision) => decisionResult(account, decision, redact)) : [],
  };
}
