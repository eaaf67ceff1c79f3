import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { Decision, Subject } from '../rules/decide/decision.ts';
import type { Refusal, RefusalCode } from '../rules/decide/refusal.ts';
import { wholePlans } from '../rules/decide/whole-plans.ts';
import type { RuleEvaluation } from '../rules/evaluate/evaluate-rules.ts';
import type { OfTargets } from '../rules/pacing/evaluate-pace.ts';
import type { Rule } from '../rules/rule.ts';
import type { Asked } from '../targets/target.ts';
import type { HowKnown } from './as-known.ts';
import type { Conditions, TrialAlert } from './conditions.ts';
import { askOnDay, type DayOutcome, type TrialAccount, type TrialDay, tryDay } from './trial-account.ts';

/** A moment of a day at which rules look. Between two moments, the source may spend. */
export interface TrialMoment {
  readonly rules: readonly Rule[];
  readonly dayOf: (rule: Rule) => TrialDay;
  readonly how: HowKnown;
}

export interface TrialOrder {
  /** Also the account's parts of targets. */
  readonly rules: readonly Rule[];
  readonly accounts: {
    readonly with: TrialAccount;
    /** The rules do not change this account. */
    readonly without: TrialAccount;
  };
  /** The source of the days: the recorded past, or a simulated market. */
  readonly momentsOf: (today: CivilDate) => AsyncGenerator<TrialMoment> | Generator<TrialMoment>;
  readonly conditions: Conditions;
  /** If true, refused changes have rows. They are always counted. */
  readonly refusals: boolean;
}

type Changed = Extract<Decision, { kind: 'change' }>;

export type TrialRow = { readonly day: CivilDate; readonly subject: Subject } & (
  | Pick<Changed, 'kind' | 'budgetId' | 'from' | 'to' | 'limitedBy' | 'reason'>
  | {
      readonly kind: 'refusal';
      readonly budgetId: BudgetId | undefined;
      readonly refusal: Refusal;
      readonly reason: string;
    }
  /** The condition became true. The rule only sends alerts. */
  | { readonly kind: 'alert'; readonly text: string }
);

export interface TrialSums {
  readonly evaluated: number;
  /** Consecutive days with the same reason form one range. */
  readonly notEvaluated: readonly NotEvaluated[];
  readonly data: Readonly<Record<HowKnown, number>>;
  /** Number of checks. A campaign that is checked on ten days counts ten times. */
  readonly looked: number;
  readonly fired: number;
  readonly unknown: number;
  readonly changes: number;
  readonly refused: ReadonlyMap<RefusalCode, number>;
}

export interface NotEvaluated {
  readonly from: CivilDate;
  readonly to: CivilDate;
  readonly reason: string;
}

export interface Trial {
  /** By the name of the rule or target. */
  readonly sums: ReadonlyMap<string, TrialSums>;
  readonly decisions: readonly { readonly day: CivilDate; readonly decision: Decision }[];
  readonly alerts: readonly TrialAlert[];
  /** The sums of all budgets after each day, in micros. */
  readonly byDay: ReadonlyMap<CivilDate, { readonly with: bigint; readonly without: bigint }>;
}

/** Decides the targets of a day from the answers of all accounts. */
export type DecideOnDay = (
  today: CivilDate,
  answers: ReadonlyMap<CustomerId, Asked>,
) => ReadonlyMap<CustomerId, OfTargets>;

/**
 * Every trial runs here: the same rules, guards, sums and alerts, wherever its days come from. Accounts with common targets
 * go through the days together. Each day, all of them answer before one acts.
 */
export async function runTrials(
  orders: readonly TrialOrder[],
  days: readonly CivilDate[],
  decide?: DecideOnDay,
): Promise<Trial[]> {
  const runs = orders.map((order) => new AccountTrial(order));
  for (const day of days) {
    for (const run of runs) await run.begin(day);
    const answers = decide && new Map(runs.map((run) => [run.customerId, run.ask()]));
    const decided = answers && decide(day, answers);
    for (let open = runs; open.length > 0; ) {
      const tried = open.map((run) => ({ run, outcome: run.decide(day, decided?.get(run.customerId)) }));
      const whole = wholePlans(tried.flatMap(({ outcome }) => outcome.decisions));
      for (const { run, outcome } of tried) await run.act(day, outcome, whole);
      open = open.filter((run) => run.isOpen);
    }
    for (const run of runs) run.end(day);
  }
  return runs;
}

const NOTHING_DECIDED: DayOutcome = { evaluations: new Map(), verdicts: [], decisions: [] };

class AccountTrial implements Trial {
  readonly sums: Map<string, RuleSums>;
  readonly decisions: { readonly day: CivilDate; readonly decision: Decision }[] = [];
  readonly alerts: TrialAlert[] = [];
  readonly byDay = new Map<CivilDate, { with: bigint; without: bigint }>();
  readonly customerId: CustomerId;
  readonly #order: TrialOrder;
  #moments: ReturnType<TrialOrder['momentsOf']> | undefined;
  #moment: TrialMoment | undefined;

  constructor(order: TrialOrder) {
    this.#order = order;
    this.customerId = order.accounts.with.customerId;
    this.sums = new Map(order.rules.map(({ name }) => [name, new RuleSums()]));
  }

  async begin(day: CivilDate): Promise<void> {
    this.#moments = this.#order.momentsOf(day);
    await this.#next();
  }

  ask(): Asked {
    return this.#moment ? askOnDay(this.#moment.rules, this.#order.accounts.with, this.#moment.dayOf) : new Map();
  }

  /** True while the day has another moment. */
  get isOpen(): boolean {
    return this.#moment !== undefined;
  }

  decide(day: CivilDate, ofTargets: OfTargets | undefined): DayOutcome {
    const { accounts, conditions } = this.#order;
    if (this.#moment === undefined) return NOTHING_DECIDED;
    const { rules, dayOf, how } = this.#moment;
    const outcome = tryDay(rules, accounts.with, day, dayOf, conditions.keep, ofTargets);
    for (const [rule, evaluation] of outcome.evaluations) this.sums.get(rule.name)?.addEvaluation(day, evaluation, how);
    return outcome;
  }

  /** `whole` refuses changes that the other accounts do not allow. */
  async act(day: CivilDate, outcome: DayOutcome, whole: (decision: Decision) => Decision): Promise<void> {
    const { accounts, conditions, refusals } = this.#order;
    const decisions = outcome.decisions.map(whole);
    accounts.with.apply(decisions, day);
    for (const decision of decisions) {
      this.sums.get(decision.request.rule.name)?.addDecision(decision);
      if (refusals || decision.kind === 'change') this.decisions.push({ day, decision });
    }
    this.alerts.push(...conditions.tell(day, { ...outcome, decisions }));
    await this.#next();
  }

  end(day: CivilDate): void {
    const { accounts } = this.#order;
    this.byDay.set(day, { with: accounts.with.totalAmount(), without: accounts.without.totalAmount() });
  }

  async #next(): Promise<void> {
    const step = await this.#moments?.next();
    this.#moment = step === undefined || step.done ? undefined : step.value;
  }
}

class RuleSums implements TrialSums {
  evaluated = 0;
  looked = 0;
  fired = 0;
  unknown = 0;
  changes = 0;
  readonly notEvaluated: NotEvaluated[] = [];
  readonly data: Record<HowKnown, number> = { known: 0, restated: 0, not_on_record: 0 };
  readonly refused = new Map<RefusalCode, number>();

  addEvaluation(day: CivilDate, evaluation: RuleEvaluation, how: HowKnown): void {
    if (evaluation.kind !== 'evaluated') {
      this.#addNotEvaluated(day, evaluation.reason);
      return;
    }
    const { true: fired, false: quiet, unknown } = evaluation.counts;
    this.evaluated += 1;
    this.looked += fired + quiet + unknown;
    this.fired += fired;
    this.unknown += unknown;
    this.data[how] += 1;
  }

  addDecision(decision: Decision): void {
    if (decision.kind === 'change') this.changes += 1;
    else this.refused.set(decision.refusal.code, (this.refused.get(decision.refusal.code) ?? 0) + 1);
  }

  #addNotEvaluated(day: CivilDate, reason: string): void {
    const before = this.notEvaluated.at(-1);
    const goesOn = before?.reason === reason && addDays(before.to, 1) === day;
    if (goesOn) this.notEvaluated.pop();
    this.notEvaluated.push({ from: goesOn ? before.from : day, to: day, reason });
  }
}

/** The sums of a rule that was left out. */
export const NO_SUMS: TrialSums = new RuleSums();

/** Changes and refusals, or the alerts of a rule that only alerts. */
export function trialRows({ decisions, alerts }: Trial, { change }: Rule): TrialRow[] {
  if (change !== undefined) return decisions.map(({ day, decision }) => decisionRow(day, decision));
  return alerts.flatMap(({ kind, day, subject, text = '' }) =>
    kind === 'first' ? [{ kind: 'alert', day, subject, text }] : [],
  );
}

function decisionRow(day: CivilDate, decision: Decision): TrialRow {
  const { subject } = decision.request;
  if (decision.kind === 'change') {
    const { kind, budgetId, from, to, limitedBy, reason } = decision;
    return { kind, day, subject, budgetId, from, to, limitedBy, reason };
  }
  const { refusal, request } = decision;
  return { kind: 'refusal', day, subject, budgetId: request.budgetId, refusal, reason: request.because };
}
