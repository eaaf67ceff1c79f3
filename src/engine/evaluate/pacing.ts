import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { grouped } from '../../domain/wording.ts';
import type { PacingResult, PacingTarget, RuleResult } from '../../language/results/report-result.ts';
import type { Verdict } from '../../language/rules/decide/decision.ts';
import type { PaceReading } from '../../language/rules/pacing/pace.ts';
import type { Rule } from '../../language/rules/rule.ts';
import type { Redact } from '../../services/http/redact.ts';
import { tellableName } from '../../services/http/tellable.ts';
import { hasReadDays } from '../../storage/records/runs/account-days.ts';
import { findAccounts, requireAds } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { type Inputs, refuseAmbiguousMoney } from '../load-inputs.ts';
import { type Evaluation, evaluateRules, wholeVerdict } from './evaluate-rules.ts';
import { accountOfCampaign } from './explain-absence.ts';
import { plannedDecision } from './planned-decision.ts';

export interface PacingScope {
  /** An empty list means all accounts. */
  readonly customers: readonly CustomerId[];
  /** Shows only the target of this campaign's budget. Undefined means all targets. */
  readonly campaign: CampaignId | undefined;
  /** Undefined means every pacing rule. */
  readonly rule: Rule | undefined;
}

export function isPacing({ change }: Rule): boolean {
  return change?.kind === 'pace';
}

/** Changes no budget. Throws `InputError` if no account has the campaign. */
export async function showPacing(app: App, inputs: Inputs, scope: PacingScope): Promise<PacingResult> {
  const asked = inputs.rules.filter((rule) => isPacing(rule) && (scope.rule === undefined || rule === scope.rule));
  const frozen = await app.killSwitch.standing();
  const about = {
    target: app.target,
    mode: app.settings.automation.mode,
    frozen,
    evaluatedAt: instantText(app.clock.now()),
  };
  if (asked.length === 0) return { ...about, ...NO_PACING, example: exampleFor(inputs) };
  const ads = requireAds(app, 'no rule can be evaluated');
  const accounts = await findAccounts(app, ads, scope.customers);
  // All rules that change budgets are evaluated, because a budget gets only one decision a day.
  const rules = inputs.rules.filter(({ change }) => change !== undefined);
  refuseAmbiguousMoney({ ...inputs, rules }, accounts.found);
  const keep = (_truth: unknown, rule: Rule) => asked.includes(rule);
  const evaluation = await evaluateRules(app, ads, rules, accounts.found, { dryRun: true, keep, take: wholeVerdict });
  const all = pacingTargets(evaluation, asked, app.redact);
  const targets = scope.campaign === undefined ? all : all.filter((one) => spendsFrom(one, scope.campaign, evaluation));
  const names = new Set(asked.map(({ name }) => name));
  const results = evaluation.rules.filter(({ rule }) => names.has(rule));
  const unread = !(await hasReadDays(app.state.db));
  return {
    ...about,
    unread,
    notes: [
      ...(scope.campaign === undefined || targets.length > 0 ? [] : [whyNoTarget(scope.campaign, names, evaluation)]),
      ...(unread ? [] : howToReadMissing(results)),
    ],
    example: undefined,
    accounts: accounts.found,
    rules: results,
    targets,
    failures: [...accounts.failures, ...evaluation.failures].map(app.redact),
  };
}

const NO_PACING = {
  unread: false,
  notes: ['No rule has a pacing target. Save this as rules/month-pacing.yaml, with your amount:'],
  accounts: [],
  rules: [],
  targets: [],
  failures: [],
};

type PacedVerdict = Pick<Verdict, 'rule' | 'subject' | 'pace'>;

export function pacingTargets(
  { accounts, verdicts }: Pick<Evaluation<PacedVerdict>, 'accounts' | 'verdicts'>,
  rules: readonly Rule[],
  redact: Redact,
): PacingTarget[] {
  const kept = grouped(
    verdicts.filter(({ rule }) => rules.includes(rule)),
    ({ subject }) => subject.customerId,
  );
  return kept.flatMap((own) => {
    const account = accounts.find(({ customerId }) => customerId === own[0]?.subject.customerId);
    if (account === undefined) return [];
    return own.flatMap((verdict) => {
      return verdict.pace === undefined ? [] : [targetOf(verdict, verdict.pace, account, redact)];
    });
  });
}

function targetOf(
  { rule, subject }: PacedVerdict,
  reading: PaceReading,
  account: Evaluation['accounts'][number],
  redact: Redact,
): PacingTarget {
  const own = account.decisions.filter(({ request }) => request.rule === rule && request.subject === subject);
  const budgets = new Set<string>(reading.budgets.map(({ budgetId }) => budgetId));
  const changes = account.decisions.filter((one) => one.kind === 'change' && budgets.has(one.budgetId));
  return {
    rule: rule.name,
    customerId: subject.customerId,
    subject: redact(subject.label),
    currency: account.currency,
    covers: reading.budgets.map(({ label }) => redact(label)),
    reading,
    campaignId: subject.campaignId,
    budgetId: subject.budgetId,
    campaignName: tellableName(subject.campaignName, redact),
    shouldBe: changes.reduce((sum, one) => (one.kind === 'change' ? sum + one.to - one.from : sum), reading.current),
    limitedBy: [...new Set(own.flatMap((one) => (one.kind === 'change' ? (one.limitedBy ?? []) : [])))],
    decisions: own.map((decision) => plannedDecision(account, decision, redact)),
    others: changes.filter((one) => !own.includes(one)).map((decision) => plannedDecision(account, decision, redact)),
    because: redact(own[0]?.request.because ?? ''),
  };
}

function spendsFrom(target: PacingTarget, campaign: CampaignId | undefined, { accounts }: Evaluation): boolean {
  if (target.campaignId !== undefined) return target.campaignId === campaign;
  const account = accounts.find(({ customerId }) => customerId === target.customerId);
  const budget = campaign === undefined ? undefined : account?.campaigns.get(campaign)?.budgetId;
  return target.reading.budgets.some(({ budgetId }) => budgetId === budget);
}

function whyNoTarget(campaign: CampaignId, names: ReadonlySet<string>, evaluation: Evaluation): string {
  const account = accountOfCampaign(campaign, evaluation);
  // If an account's budgets were read, all its campaigns are known.
  const known = new Set(evaluation.accounts.map(({ customerId }) => customerId));
  const isWhole =
    evaluation.failures.length === 0 &&
    evaluation.rules.every(({ rule, customerId }) => !names.has(rule) || known.has(customerId));
  if (account === undefined && isWhole) {
    throw new InputError(`No such campaign: ${campaign}.`, {
      nextStep: 'To see every target, run pacekeeper pacing.',
    });
  }
  return account === undefined
    ? `Campaign ${campaign} was not found in the evaluated accounts. The rules that were not evaluated are listed above.`
    : `Campaign ${campaign} of account ${account} has no target. For the reason, run pacekeeper rules explain RULE --campaign ${campaign}.`;
}

function exampleFor({ queries }: Inputs): string {
  const tables = queries.filter(
    ({ columns, resource }) =>
      resource === 'campaign' &&
      ['campaign_id', 'cost_micros', 'date'].every((name) => columns.some((column) => column.name === name)),
  );
  return `description: Keep the campaigns of the account on 3,000 EUR a month together.
from: ${tables[0]?.name ?? 'campaign_spend'}
for: account
currency: EUR
change: pace budget to 3000 per month
limits: { floor: 5, ceiling: 400, step: 20% }
mode: propose
`;
}

export function howToReadMissing(results: readonly RuleResult[]): string[] {
  const missing = results.flatMap((result) => result.missing ?? []);
  return grouped(missing, ({ table }) => table).map((own) => {
    const days = own.flatMap(({ from, to }) => [from, to]).sort();
    return `To read the missing days, run pacekeeper extract --query ${own[0]?.table} --from ${days[0]} --to ${days.at(-1)}.`;
  });
}
