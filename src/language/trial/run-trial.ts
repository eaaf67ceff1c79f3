import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import type { BudgetId } from '../../domain/ids.ts';
import type { Decision, Subject } from '../rules/decide/decision.ts';
import type { Refusal, RefusalCode } from '../rules/decide/refusal.ts';
import type { RuleEvaluation } from '../rules/evaluate/evaluate-rules.ts';
import type { Rule } from '../rules/rule.ts';
import type { HowKnown } from './as-known.ts';
import type { Conditions, TrialAlert } from './conditions.ts';
import { type TrialAccount, type TrialDay, tryDay } from './trial-account.ts';

/** A moment of a day at which rules look. Between two moments, the source may spend. */
export interface TrialMoment {
  readonly rules: readonly Rule[];
  readonly dayOf: (rule: Rule) => TrialDay;
  readonly how: HowKnown;
}

export interface TrialOrder {
  readonly rules: readonly Rule[];
  /** In ascending order. */
  readonly days: readonly CivilDate[];
  readonly accounts: {
    readonly with: TrialAccount;
    /** The rules do not change this account. */
    readonly without: TrialAccount;
  };
  /** The source of the days: the recorded past, or a simulated market. */
  readonly momentsOf: (today: CivilDate) => AsyncIterable<TrialMoment> | Iterable<TrialMoment>;
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
  readonly sums: ReadonlyMap<Rule, TrialSums>;
  readonly decisions: readonly { readonly day: CivilDate; readonly decision: Decision }[];
  readonly alerts: readonly TrialAlert[];
  /** The sums of all budgets after each day, in micros. */
  readonly byDay: ReadonlyMap<CivilDate, { readonly with: bigint; readonly without: bigint }>;
}

/** Every trial runs here: the same rules, guards, sums and alerts, wherever its days come from. */
export async function runTrial({ rules, days, accounts, momentsOf, conditions, refusals }: TrialOrder): Promise<Trial> {
  const sums = new Map(rules.map((rule) => [rule, new RuleSums()]));
  const decisions: { readonly day: CivilDate; readonly decision: Decision }[] = [];
  const alerts: TrialAlert[] = [];
  const byDay = new Map<CivilDate, { with: bigint; without: bigint }>();
  for (const day of days) {
    for await (const moment of momentsOf(day)) {
      const outcome = tryDay(moment.rules, accounts.with, day, moment.dayOf, conditions.keep);
      for (const [rule, evaluation] of outcome.evaluations) sums.get(rule)?.addEvaluation(day, evaluation, moment.how);
      for (const decision of outcome.decisions) {
        sums.get(decision.request.rule)?.addDecision(decision);
        if (refusals || decision.kind === 'change') decisions.push({ day, decision });
      }
      alerts.push(...conditions.tell(day, outcome));
    }
    byDay.set(day, { with: accounts.with.totalAmount(), without: accounts.without.totalAmount() });
  }
  return { sums, decisions, alerts, byDay };
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
