import type { PastChange } from '../../domain/budget-change.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Member, MemberDemand } from '../../domain/member.ts';
import type { Micros } from '../../domain/micros.ts';
import type { UnreadableBudget } from '../../domain/unreadable-budget.ts';
import { grouped } from '../../domain/wording.ts';
import { highestOn } from '../rules/decide/account-totals.ts';
import { decideChanges } from '../rules/decide/decide-changes.ts';
import type { AccountFacts, BudgetFacts, Decision, Verdict } from '../rules/decide/decision.ts';
import { answersOf, evaluateRules, type RuleEvaluation } from '../rules/evaluate/evaluate-rules.ts';
import type { CampaignBudget, EvaluatedAccount, LabelsByName } from '../rules/evaluate/evaluated-account.ts';
import type { Keep } from '../rules/evaluate/ledger.ts';
import type { KnownCalendar } from '../rules/evaluate/resolve-window.ts';
import type { AccountPart, OfTargets } from '../rules/pacing/evaluate-pace.ts';
import { daysKey, type Rule } from '../rules/rule.ts';
import { type Asked, ruleInAccount } from '../targets/target.ts';

export interface TrialBudget extends Pick<BudgetFacts, 'budgetId' | 'amount' | 'campaigns'> {
  /** A removed budget never changes, and no total includes the budget. */
  readonly removed?: boolean;
  readonly changes?: readonly PastChange[];
}

export type TrialBounds = Pick<AccountFacts, 'dailyTotalMax' | 'dailyExposureMax' | 'budgetUnit'>;

/** An account whose budgets change only in memory. */
export class TrialAccount {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly bounds: TrialBounds;
  readonly unreadable: readonly UnreadableBudget[];
  readonly labels: LabelsByName | undefined;
  readonly #budgets: ReadonlyMap<
    BudgetId,
    { amount: Micros; readonly changes: PastChange[]; readonly start: TrialBudget }
  >;

  constructor(about: {
    readonly customerId: CustomerId;
    /** Without a currency, no budget changes. */
    readonly currency: string | undefined;
    readonly budgets: readonly TrialBudget[];
    readonly unreadable?: readonly UnreadableBudget[];
    readonly labels?: LabelsByName | undefined;
    readonly bounds: TrialBounds;
  }) {
    this.customerId = about.customerId;
    this.currency = about.currency;
    this.bounds = about.bounds;
    this.labels = about.labels;
    this.unreadable = about.unreadable ?? [];
    this.#budgets = new Map(
      about.budgets.map((start) => [
        start.budgetId,
        { amount: start.amount, changes: [...(start.changes ?? [])], start },
      ]),
    );
  }

  facts(today: CivilDate): AccountFacts {
    const budgets = [...this.#budgets].map(([budgetId, { amount, changes, start }]): [BudgetId, BudgetFacts] => [
      budgetId,
      {
        budgetId,
        amount,
        source: 'read',
        removed: start.removed ?? false,
        campaigns: start.campaigns,
        outcomeOpen: false,
        decidedToday: changes.some(({ day, by }) => by === 'rule' && day === today) ? 'applied' : undefined,
        proposed: undefined,
        changes,
      },
    ]);
    const { customerId, currency, unreadable } = this;
    const about = { customerId, currency, today, unreadable, frozen: undefined };
    return { ...about, budgets: new Map(budgets), ...this.bounds };
  }

  byCampaign(): Map<CampaignId, CampaignBudget> {
    return new Map(
      [...this.#budgets].flatMap(([budgetId, { amount, start }]) =>
        start.campaigns.map(({ id, name, status }): [CampaignId, CampaignBudget] => [
          id,
          { budgetId, campaignName: name, campaignStatus: status, amount },
        ]),
      ),
    );
  }

  /** The sum of all budgets that are not removed, in micros. May exceed int64. */
  totalAmount(): bigint {
    const standing = [...this.#budgets.values()].filter(({ start }) => start.removed !== true);
    return standing.reduce((sum, { amount }) => sum + amount, 0n);
  }

  amountOf(budgetId: BudgetId): Micros | undefined {
    return this.#budgets.get(budgetId)?.amount;
  }

  /** Only budgets with another amount in `other`, an account with the same budgets. */
  amountsBeside(other: TrialAccount): ReadonlyMap<BudgetId, { readonly with: Micros; readonly without: Micros }> {
    const found = new Map<BudgetId, { with: Micros; without: Micros }>();
    for (const [budgetId, { amount }] of this.#budgets) {
      const without = other.amountOf(budgetId);
      if (without !== undefined && without !== amount) found.set(budgetId, { with: amount, without });
    }
    return found;
  }

  highestOn(budgetId: BudgetId, day: CivilDate): Micros | undefined {
    const budget = this.#budgets.get(budgetId);
    return budget && highestOn(day, budget.amount, budget.changes);
  }

  /** Ignores the rules' modes, because a trial shows the effect of mode apply. */
  apply(decisions: readonly Decision[], today: CivilDate): void {
    for (const one of decisions) if (one.kind === 'change') this.#set(one.budgetId, one.to, 'rule', today);
  }

  setByOthers(budgetId: BudgetId, amount: Micros, today: CivilDate): void {
    this.#set(budgetId, amount, 'foreign', today);
  }

  #set(budgetId: BudgetId, to: Micros, by: PastChange['by'], day: CivilDate): void {
    const budget = this.#budgets.get(budgetId);
    if (budget === undefined || budget.amount === to) return;
    budget.changes.push({ day, by, from: budget.amount, to });
    budget.amount = to;
  }
}

export interface TrialDay extends KnownCalendar {
  readonly members: (demand: MemberDemand) => Iterable<Member>;
}

export interface DayOutcome {
  readonly evaluations: ReadonlyMap<Rule, RuleEvaluation>;
  /** Results for true conditions, and for conditions that `keep` selects. */
  readonly verdicts: readonly Verdict[];
  readonly decisions: readonly Decision[];
}

/** Evaluates and decides like a report. */
export function tryDay(
  rules: readonly Rule[],
  account: TrialAccount,
  today: CivilDate,
  dayOf: (rule: Rule) => TrialDay,
  keep: Keep = () => false,
  ofTargets?: OfTargets,
): DayOutcome {
  const inAccount = rules.map((rule) => ruleInAccount(rule, ofTargets));
  const evaluations = evaluate(inAccount, account, dayOf, keep, ofTargets);
  const inOrder = inAccount.flatMap((rule) => evaluations.get(rule) ?? []);
  const verdicts = inOrder.flatMap((one) => (one.kind === 'evaluated' ? one.verdicts : []));
  // Skips rules that only alert, because creating unneeded reasons is slow.
  const fired = verdicts.filter(({ truth, rule }) => truth === 'true' && rule.change !== undefined);
  const requests = fired.flatMap((verdict) => verdict.requests());
  const decisions = decideChanges(requests, account.facts(today), 'apply');
  return { evaluations, verdicts, decisions };
}

/** Returns what the account knows of its targets, like a report before it decides. */
export function askOnDay(rules: readonly Rule[], account: TrialAccount, dayOf: (rule: Rule) => TrialDay): Asked {
  const said = new Map<string, AccountPart>();
  const ofTargets: OfTargets = { kind: 'asked', say: (target, part) => said.set(target, part) };
  const own = rules.filter(({ target }) => target !== undefined);
  return answersOf(
    evaluate(own, account, dayOf, () => false, ofTargets),
    said,
  );
}

function evaluate(
  rules: readonly Rule[],
  account: TrialAccount,
  dayOf: (rule: Rule) => TrialDay,
  keep: Keep,
  ofTargets: OfTargets | undefined,
): ReadonlyMap<Rule, RuleEvaluation> {
  const evaluations = new Map<Rule, RuleEvaluation>();
  for (const own of grouped(rules, daysKey)) {
    const [first] = own;
    if (first === undefined) continue;
    const { members, ...day } = dayOf(first);
    const evaluated: EvaluatedAccount = {
      ...day,
      customerId: account.customerId,
      currency: account.currency,
      budgetUnit: account.bounds.budgetUnit,
      budgets: account.byCampaign(),
      unreadable: account.unreadable,
      labels: account.labels,
      highestOn: (budgetId, date) => account.highestOn(budgetId, date),
    };
    const wanted: Keep = (truth, rule, subject) => truth === 'true' || keep(truth, rule, subject);
    for (const [rule, one] of evaluateRules(own, evaluated, members, wanted, ofTargets)) evaluations.set(rule, one);
  }
  return evaluations;
}
