import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { grouped } from '../../domain/wording.ts';
import { findAccounts, type RunAccount, requireAds } from '../../engine/accounts/find-accounts.ts';
import type { App } from '../../engine/app.ts';
import { showChanges } from '../../engine/change/plan-changes.ts';
import { type Evaluation, evaluateRules, wholeVerdict } from '../../engine/evaluate/evaluate-rules.ts';
import {
  type AbsenceProbes,
  absenceProbes,
  accountOfCampaign,
  isAbout,
  leftOutBudgets,
  whyAbsent,
} from '../../engine/evaluate/explain-absence.ts';
import { explained } from '../../engine/evaluate/explained-subject.ts';
import { howToReadMissing } from '../../engine/evaluate/pacing.ts';
import { type Inputs, refuseAmbiguousMoney } from '../../engine/load-inputs.ts';
import type { EvaluationResult, ExplanationResult, RuleAlert } from '../../language/results/report-result.ts';
import type { Verdict } from '../../language/rules/decide/decision.ts';
import { describeRule } from '../../language/rules/file/describe-rule.ts';
import type { Rule } from '../../language/rules/rule.ts';
import { describeTarget, type Target } from '../../language/targets/target.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import type { Redact } from '../../services/http/redact.ts';
import { hasReadDays } from '../../storage/records/runs/account-days.ts';
import { chooseInputs, ruleNamed } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';
import { RULES_EVALUATE } from './evaluate-view.ts';
import { RULES_EXPLAIN } from './explain-view.ts';
import type { EvaluateOptions, ExplainOptions } from './rules-command.ts';

export async function runEvaluate(app: CommandApp<'all'>, options: EvaluateOptions): Promise<number> {
  const { customer = [], format } = options;
  const inputs = await chooseInputs(app, options);
  const result = await app.open((opened) => tryRules(opened, inputs, customer));
  app.output.stdout.write(listingIn(format, RULES_EVALUATE, result, app.output));
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}

export async function runExplain(app: CommandApp<'all'>, options: ExplainOptions): Promise<number> {
  const inputs = await chooseInputs(app, options);
  const result = await app.open((opened) => explainRule(opened, inputs, options));
  app.output.stdout.write(listingIn(options.format, RULES_EXPLAIN, result, app.output));
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}

async function tryRules(app: App, inputs: Inputs, customers: readonly CustomerId[]): Promise<EvaluationResult> {
  const ads = requireAds(app, 'no rule can be evaluated');
  const accounts = await findAccounts(app, ads, customers);
  refuseAmbiguousMoney(inputs, accounts.found);
  const evaluation = await evaluateRules(app, ads, inputs.rules, accounts.found, {
    dryRun: true,
    take: wholeVerdict,
    targets: inputs.targets,
    rates: inputs.rates,
  });
  const decisions = showChanges(app, evaluation.accounts);
  const frozen = await app.killSwitch.standing();
  return {
    target: app.target,
    mode: app.settings.automation.mode,
    evaluatedAt: instantText(app.clock.now()),
    unread: !(await hasReadDays(app.state.db)),
    frozen,
    notes: [],
    accounts: accounts.found,
    rules: evaluation.rules,
    decisions,
    alerts: alertsOf(evaluation.verdicts, app.redact),
    failures: [...accounts.failures, ...evaluation.failures].map(app.redact),
  };
}

function alertsOf(fired: readonly Verdict[], redact: Redact): RuleAlert[] {
  const alerting = fired.filter(({ rule }) => rule.alert !== undefined);
  return grouped(alerting, ({ rule, subject }) => `${subject.customerId} ${rule.name}`).flatMap((verdicts) => {
    const [first] = verdicts;
    if (first?.rule.alert === undefined) return [];
    const lines = verdicts.flatMap((verdict) => verdict.alertText() ?? []).map(redact);
    return [
      { rule: first.rule.name, customerId: first.subject.customerId, severity: first.rule.alert.severity, lines },
    ];
  });
}

/** Throws `InputError` for an unknown rule or campaign. */
async function explainRule(app: App, inputs: Inputs, options: ExplainOptions): Promise<ExplanationResult> {
  const { customer: customers = [], campaign } = options;
  const { rule, target } = ruleNamed(options.rule, inputs, 'pacekeeper rules explain cut-without-conversions');
  const ads = requireAds(app, 'no rule can be evaluated');
  const accounts = await findAccounts(app, ads, customers);
  refuseAmbiguousMoney({ ...inputs, rules: [rule] }, accounts.found);
  const probes = absenceProbes(rule);
  const own = target === undefined ? [rule] : [];
  const asked = needsProbes(rule, campaign) ? [...own, probes.withRows, probes.chosen] : own;
  const evaluation = await evaluateRules(app, ads, asked, accounts.found, {
    dryRun: true,
    keep: () => true,
    take: wholeVerdict,
    targets: target === undefined ? [] : [target],
    rates: inputs.rates,
  });
  const all = evaluation.verdicts.filter((verdict) => verdict.rule.name === rule.name);
  const wanted = campaign === undefined ? all : all.filter((verdict) => isAbout(verdict, campaign, evaluation));
  const results = evaluation.rules.filter((result) => result.rule === rule.name);
  const unread = !(await hasReadDays(app.state.db));
  const notes = [
    ...(campaign === undefined ? leftOutBudgets(rule, probes, evaluation) : []),
    ...(campaign === undefined || wanted.length > 0
      ? []
      : [await whyNothing(app, ads, rule, campaign, { target, probes, evaluation, accounts: accounts.found })]),
    ...(unread ? [] : howToReadMissing(results)),
  ];
  return {
    rule: target
      ? describeTarget(target, app.settings.automation.mode)
      : describeRule(rule, app.settings.automation.mode),
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

/** Probes are slow: they take as long as the rule itself. */
function needsProbes(rule: Rule, campaign: CampaignId | undefined): boolean {
  return campaign !== undefined || (rule.for === 'budget' && rule.where !== undefined);
}

interface Asked {
  readonly target: Target | undefined;
  readonly probes: AbsenceProbes;
  readonly evaluation: Evaluation;
  readonly accounts: readonly RunAccount[];
}

async function whyNothing(
  app: App,
  ads: AdsConnection,
  rule: Rule,
  campaign: CampaignId,
  { target, probes, evaluation, accounts }: Asked,
): Promise<string> {
  const customer = accountOfCampaign(campaign, evaluation);
  if (customer !== undefined) return whyAbsent(rule, campaign, customer, probes, evaluation);
  // Accounts in other currencies were not evaluated, but one of them could have the campaign.
  const looked = new Set(evaluation.accounts.map(({ customerId }) => customerId));
  const others = accounts.filter(({ customerId }) => !looked.has(customerId));
  const elsewhere = await evaluateRules(app, ads, [probes.ofAnyCurrency], others, {
    dryRun: true,
    keep: () => true,
    take: wholeVerdict,
  });
  const owner = accountOfCampaign(campaign, elsewhere);
  if (owner !== undefined && target !== undefined && !target.rules.has(owner))
    return `Target ${target.name} does not cover campaign ${campaign}: account ${owner} is no member.`;
  if (owner !== undefined) return whyAbsent(rule, campaign, owner, probes, evaluation);
  for (const { customerId } of elsewhere.accounts) looked.add(customerId);
  if (accounts.some(({ customerId }) => !looked.has(customerId))) {
    return `No evaluated account has a campaign ${campaign}. Accounts without an evaluation are listed above.`;
  }
  throw new InputError(`No account has a campaign ${campaign}.`, {
    nextStep: `Run pacekeeper rules explain ${rule.name} to see all subjects of the rule.`,
  });
}
