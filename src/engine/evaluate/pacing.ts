import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { multiply, rational, roundHalfAway } from '../../domain/rational.ts';
import { counted, grouped } from '../../domain/wording.ts';
import type { PacingResult, PacingTarget, RuleResult, WithheldTarget } from '../../language/results/report-result.ts';
import type { Decision, Verdict } from '../../language/rules/decide/decision.ts';
import type { PaceReading } from '../../language/rules/pacing/pace.ts';
import { shownRate } from '../../language/rules/pacing/pace-words.ts';
import type { Rule } from '../../language/rules/rule.ts';
import { type Target, targetAsRule } from '../../language/targets/target.ts';
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
  /** The name of a pacing rule or a target. Undefined means all. */
  readonly name: string | undefined;
}

export function isPacing({ change }: Rule): boolean {
  return change?.kind === 'pace';
}

/** Changes no budget. Throws `InputError` if no account has the campaign. */
export async function showPacing(app: App, inputs: Inputs, scope: PacingScope): Promise<PacingResult> {
  const isAsked = ({ name }: { readonly name: string }) => scope.name === undefined || name === scope.name;
  const rulesAsked = inputs.rules.filter((rule) => isPacing(rule) && isAsked(rule));
  const targetsAsked = inputs.targets.filter((target) => isPacing(targetAsRule(target)) && isAsked(target));
  const asked = new Set([...rulesAsked, ...targetsAsked].map(({ name }) => name));
  const frozen = await app.killSwitch.standing();
  const about = {
    target: app.target,
    mode: app.settings.automation.mode,
    frozen,
    evaluatedAt: instantText(app.clock.now()),
  };
  if (asked.size === 0) return { ...about, ...NO_PACING, example: exampleFor(inputs) };
  const ads = requireAds(app, 'no rule can be evaluated');
  const accounts = await findAccounts(app, ads, scope.customers);
  // All rules that change budgets are evaluated, because a budget gets only one decision a day.
  const rules = inputs.rules.filter(({ change }) => change !== undefined);
  refuseAmbiguousMoney({ ...inputs, rules }, accounts.found);
  const keep = (_truth: unknown, { name }: Rule) => asked.has(name);
  const options = { dryRun: true, keep, take: wholeVerdict, targets: inputs.targets, rates: inputs.rates };
  const evaluation = await evaluateRules(app, ads, rules, accounts.found, options);
  const all = pacingTargets(evaluation, app.redact).filter(({ rule }) => asked.has(rule));
  const targets = scope.campaign === undefined ? all : all.filter((one) => spendsFrom(one, scope.campaign, evaluation));
  const results = evaluation.rules.filter(({ rule }) => asked.has(rule));
  const unread = !(await hasReadDays(app.state.db));
  return {
    ...about,
    unread,
    notes: [
      ...(scope.campaign === undefined || targets.length > 0 ? [] : [whyNoTarget(scope.campaign, asked, evaluation)]),
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

/** Those of several accounts are first, and then those of rules, by account. */
export function pacingTargets(
  { accounts, verdicts }: Pick<Evaluation<PacedVerdict>, 'accounts' | 'verdicts'>,
  redact: Redact,
): PacingTarget[] {
  const paced = verdicts.filter(({ pace }) => pace !== undefined);
  const together = grouped(
    paced.filter(({ rule }) => rule.target !== undefined),
    ({ rule }) => rule.name,
  );
  const alone = grouped(
    paced.filter(({ rule }) => rule.target === undefined),
    ({ subject }) => subject.customerId,
  ).flatMap((own) => own.map((verdict) => [verdict]));
  return [...together, ...alone].flatMap((own) => targetOf(own, accounts, redact) ?? []);
}

function targetOf(
  verdicts: readonly PacedVerdict[],
  accounts: Evaluation['accounts'],
  redact: Redact,
): PacingTarget | undefined {
  const parts = verdicts.flatMap((verdict) => {
    const account = accounts.find(({ customerId }) => customerId === verdict.subject.customerId);
    return account === undefined || verdict.pace === undefined ? [] : [{ ...partOf(verdict, verdict.pace, account) }];
  });
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  const { rule, subject } = first.verdict;
  const budgets = parts.flatMap(({ reading }) => reading.budgets);
  const isOne = others.length === 0 && first.reading.rate === undefined;
  const rates = parts.flatMap(({ reading: { rate } }) => rate ?? []);
  const reading = first.reading.together ?? first.reading;
  return {
    rule: rule.name,
    customerId: isOne ? subject.customerId : undefined,
    subject: isOne ? redact(subject.label) : counted(parts.length, 'account'),
    currency: first.reading.currency,
    covers: budgets.map(({ label }) => redact(label)),
    members: isOne ? [] : parts.map(({ verdict }) => verdict.subject.customerId),
    rates: [...new Map(rates.map((rate) => [rate.from, shownRate(rate)])).values()],
    mode: rule.mode,
    reading: { ...reading, budgets },
    campaignId: subject.campaignId,
    budgetId: subject.budgetId,
    campaignName: tellableName(subject.campaignName, redact),
    missing: parts.reduce((sum, part) => sum + part.missing, 0n),
    shouldBe: parts.reduce((sum, { difference }) => sum + difference, reading.current),
    limitedBy: [
      ...new Set(
        parts.flatMap(({ own }) => own.flatMap((one) => (one.kind === 'change' ? (one.limitedBy ?? []) : []))),
      ),
    ],
    decisions: parts.flatMap(({ account, own }) => own.map((one) => plannedDecision(account, one, redact))),
    others: parts.flatMap(({ account, besides }) => besides.map((one) => plannedDecision(account, one, redact))),
    because: redact(parts.flatMap(({ own }) => own[0]?.request.because ?? [])[0] ?? ''),
  };
}

/** Targets for which no account got a decision. A reallocation is one only if it says why. */
export function withheldTargets(
  targets: readonly Target[],
  { verdicts, rules }: Pick<Evaluation<PacedVerdict>, 'verdicts' | 'rules'>,
  redact: Redact,
): WithheldTarget[] {
  const paced = new Set(verdicts.flatMap(({ rule, pace }) => (pace === undefined ? [] : rule.name)));
  const reasons = Map.groupBy(rules, ({ rule }) => rule);
  return targets
    .filter((target) => {
      const isSilent = (reasons.get(target.name) ?? []).every(({ notEvaluated }) => notEvaluated === undefined);
      return isPacing(targetAsRule(target)) ? !paced.has(target.name) : !isSilent;
    })
    .map(({ name, currency, rules: parts }) => {
      const because = new Set((reasons.get(name) ?? []).flatMap(({ notEvaluated }) => notEvaluated ?? []));
      const members = [...parts.keys()];
      return {
        rule: name,
        subject: counted(members.length, 'account'),
        currency,
        members,
        mode: [...parts.values()][0]?.mode,
        because: because.size === 0 ? 'none of its accounts could be read' : redact([...because].join('; ')),
      };
    });
}

/** The part of a target in one account, with the decisions about its budgets. */
function partOf(verdict: PacedVerdict, reading: PaceReading, account: Evaluation['accounts'][number]) {
  const { rule, subject } = verdict;
  const own = account.decisions.filter(({ request }) => request.rule === rule && request.subject === subject);
  const budgets = new Set<string>(reading.budgets.map(({ budgetId }) => budgetId));
  const changes = account.decisions.filter((one) => one.kind === 'change' && budgets.has(one.budgetId));
  return {
    verdict,
    reading,
    account,
    own,
    besides: changes.filter((one) => !own.includes(one)),
    missing: inCurrencyOfTarget(refusedIncreases(own, reading), reading.rate),
    difference: inCurrencyOfTarget(
      changes.reduce((sum, one) => (one.kind === 'change' ? sum + one.to - one.from : sum), 0n),
      reading.rate,
    ),
  };
}

/** A change that waits, or that was made today, is not missing. */
const COMES_ANYWAY: readonly string[] = ['WAITS_FOR_APPROVAL', 'ALREADY_DECIDED_TODAY'];

function refusedIncreases(decisions: readonly Decision[], { budgets }: PaceReading): bigint {
  const refused = decisions.filter((one) => one.kind === 'refused' && !COMES_ANYWAY.includes(one.refusal.code));
  return refused.reduce((sum, { request: { budgetId, target } }) => {
    const amount = budgets.find((budget) => budget.budgetId === budgetId)?.amount;
    const more = target === undefined || amount === undefined ? 0n : roundHalfAway(target) - amount;
    return more > 0n ? sum + more : sum;
  }, 0n);
}

function inCurrencyOfTarget(amount: bigint, rate: PaceReading['rate']): bigint {
  return rate === undefined ? amount : roundHalfAway(multiply(rational(amount), rate.rate));
}

function spendsFrom(target: PacingTarget, campaign: CampaignId | undefined, { accounts }: Evaluation): boolean {
  if (target.campaignId !== undefined) return target.campaignId === campaign;
  const own = accounts.filter(({ customerId: id }) => id === target.customerId || target.members.includes(id));
  const budget = campaign && own.flatMap(({ campaigns }) => campaigns.get(campaign) ?? [])[0]?.budgetId;
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
