import type { DateRange } from '../../../domain/civil-date.ts';
import type { Member, MemberDemand, MemberGrain } from '../../../domain/member.ts';
import { leavesOut } from '../decide/what-serves.ts';
import type { AccountPart, OfTargets, TargetPart } from '../pacing/evaluate-pace.ts';
import type { MeasuredBudget } from '../reallocation/measured-budget.ts';
import type { Rule } from '../rule.ts';
import { type CompiledRule, compileRule, numberSlots, takesPart } from './compile-rule.ts';
import type { EvaluatedAccount } from './evaluated-account.ts';
import { holidayWords, planLasting } from './lasting.ts';
import { type Judgement, type Keep, type Ledger, openLedger } from './ledger.ts';
import { demandOf, type RulePlan } from './plan-rule.ts';
import {
  accountCandidate,
  budgetCandidate,
  byBudget,
  type CampaignCandidate,
  type Candidate,
  campaignCandidate,
  countedBy,
  partCandidate,
  type Scene,
  wholeAccount,
} from './subjects.ts';

export type RuleEvaluation =
  | {
      readonly kind: 'not';
      readonly reason: string;
      readonly missing?: DateRange | undefined;
    }
  | Judgement;

/** Counts verdicts that `keep` rejects, but does not return them. */
export function evaluateRules(
  rules: readonly Rule[],
  account: EvaluatedAccount,
  read: (demand: MemberDemand) => Iterable<Member>,
  keep: Keep = () => true,
  ofTargets?: OfTargets,
): ReadonlyMap<Rule, RuleEvaluation> {
  const evaluations = new Map<Rule, RuleEvaluation>();
  const plans: RulePlan[] = [];
  for (const rule of rules) {
    const plan = planLasting(rule, account);
    const why = whyNot(plan, account, ofTargets);
    if (why === undefined) plans.push(plan);
    evaluations.set(rule, { kind: 'not', reason: '', ...why });
  }
  for (const grain of GRAINS) {
    const own = plans.filter((plan) => plan.grain === grain);
    const demand = demandOf(own);
    if (demand === undefined) continue;
    const slotOf = numberSlots();
    const ledgers = own.map((plan) =>
      openLedger(compileRule(plan, demand, slotOf, account, ofTargets), account.currency, keep),
    );
    evaluateGrain(ledgers, { account, demand, columns: own[0]?.rule.columns ?? [] }, read(demand));
    for (const ledger of ledgers) evaluations.set(ledger.compiled.rule, ledger.judgement);
  }
  return evaluations;
}

/** Facts of an account for pacing, or its budgets to compare. Text says why it knows nothing of the target. */
export type AccountAnswer = AccountPart | readonly MeasuredBudget[] | string;

/** An account's answers, by the name of the target. */
export function answersOf(
  evaluations: ReadonlyMap<Rule, RuleEvaluation>,
  said: ReadonlyMap<string, AccountPart>,
): ReadonlyMap<string, AccountAnswer> {
  const answer = ({ name, change }: Rule, one: RuleEvaluation) => {
    if (one.kind === 'not') return one.reason;
    if (change?.kind === 'reallocate') return one.verdicts.flatMap(({ measured }) => measured ?? []);
    return said.get(name) ?? 'it has no campaigns';
  };
  return new Map(Array.from(evaluations, ([rule, one]) => [rule.name, answer(rule, one)]));
}

/** Omits rules that cannot be evaluated now. */
export function demandsOf(rules: readonly Rule[], account: EvaluatedAccount, ofTargets?: OfTargets): MemberDemand[] {
  const plans = rules
    .map((rule) => planLasting(rule, account))
    .filter((plan) => whyNot(plan, account, ofTargets) === undefined);
  return GRAINS.flatMap((grain) => demandOf(plans.filter((plan) => plan.grain === grain)) ?? []);
}

const GRAINS: readonly MemberGrain[] = ['account', 'campaign', 'ad_group', 'keyword'];

type Unread = Omit<Extract<RuleEvaluation, { kind: 'not' }>, 'kind'>;

/** Undefined if the rule can be evaluated. */
function whyNot(plan: RulePlan, account: EvaluatedAccount, ofTargets: OfTargets | undefined): Unread | undefined {
  const { rule, windows } = plan;
  const part = rule.target === undefined ? undefined : partOfTarget(rule.target, ofTargets);
  if (part?.kind === 'withheld') return { reason: part.because };
  const [own] = windows.values();
  if (plan.days.length === 0 && own?.days.kind === 'none') return { reason: own.days.reason };
  const holiday = holidayWords(plan, account);
  if (holiday !== undefined) return { reason: holiday };
  const days = [...new Set([plan, ...plan.earlier].flatMap((one) => one.days))].sort();
  const missing = days.filter((day) => day !== account.today && !account.settled(day));
  const first = missing[0];
  const last = missing.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const others = missing.length - 1;
  const more = others === 0 ? '' : ` and ${others} more ${others === 1 ? 'day' : 'days'}`;
  return { reason: `${rule.from} has no complete data for ${first}${more}`, missing: { from: first, to: last } };
}

/** Undefined while the accounts are asked. */
function partOfTarget(target: string, ofTargets: OfTargets | undefined): TargetPart | undefined {
  if (ofTargets?.kind === 'asked') return undefined;
  return ofTargets?.parts.get(target) ?? { kind: 'withheld', because: 'its accounts were not asked' };
}

function evaluateGrain(ledgers: readonly Ledger[], scene: Scene, members: Iterable<Member>): void {
  switch (scene.demand.grain) {
    case 'campaign':
      evaluateCampaigns(ledgers, scene, members);
      return;
    case 'account': {
      const [only] = members;
      for (const ledger of ledgers) ledger.judge(wholeAccount(only, scene));
      return;
    }
    default:
      for (const member of members) {
        const candidate = partCandidate(scene.demand.grain, member, scene);
        for (const ledger of ledgers) if (takesPart(ledger.compiled, candidate)) ledger.judge(candidate);
      }
  }
}

function evaluateCampaigns(ledgers: readonly Ledger[], scene: Scene, members: Iterable<Member>): void {
  const forCampaigns = ledgers.filter(({ compiled }) => compiled.rule.for === 'campaign');
  const others = ledgers.filter(({ compiled }) => compiled.rule.for !== 'campaign');
  const campaigns: CampaignCandidate[] = [];
  for (const member of members) {
    const campaign = campaignCandidate(member, scene);
    for (const ledger of forCampaigns) if (takesPart(ledger.compiled, campaign)) ledger.judge(campaign);
    if (others.length > 0) campaigns.push(campaign);
  }
  const budgets = byBudget(campaigns).map((own) => {
    const whole = budgetCandidate({ counted: own, leftOut: [] }, scene);
    return { own, whole, allRun: own.every(({ status = 'ENABLED' }) => status === 'ENABLED') };
  });
  const accounts = new Map<string, Candidate>();
  for (const ledger of others) {
    const { compiled } = ledger;
    const holding = (all: readonly CampaignCandidate[]) =>
      all.filter((one) => one.figures.hasRows(compiled.newestFirst));
    if (compiled.rule.for === 'budget') {
      for (const { own, whole, allRun } of budgets) {
        const held = holding(own);
        // If all campaigns of a budget are running, rules can share the sums.
        const campaigns = allRun ? { counted: held, leftOut: [] } : countedBy(compiled.rule, held);
        const candidate = allRun ? whole : budgetCandidate(campaigns, scene);
        const { counted } = campaigns;
        if (candidate && counted.length > 0 && counted.every((one) => takesPart(compiled, one)))
          ledger.judge(candidate);
      }
    } else {
      // Rules that count the same campaigns on the same days share the sums.
      const { rule } = compiled;
      const counts = [leavesOut(rule, 'PAUSED'), leavesOut(rule, 'REMOVED')];
      const key = `${compiled.newestFirst.join()} ${counts.join()} ${rule.where?.text ?? ''}`;
      const candidate = accounts.get(key) ?? accountOf(compiled, holding(campaigns), scene);
      accounts.set(key, candidate);
      ledger.judge(candidate);
    }
  }
}

function accountOf(compiled: CompiledRule, held: readonly CampaignCandidate[], scene: Scene): Candidate {
  const taking = held.filter((one) => takesPart(compiled, one));
  return accountCandidate(compiled.rule, countedBy(compiled.rule, taking), held, scene);
}
