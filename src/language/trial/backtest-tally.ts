import { addDays, type CivilDate, type DateRange } from '../../domain/civil-date.ts';
import type { BudgetId } from '../../domain/ids.ts';
import type { Decision, Subject } from '../rules/decide/decision.ts';
import type { Refusal, RefusalCode } from '../rules/decide/refusal.ts';
import type { Keep } from '../rules/evaluate/ledger.ts';
import { subjectKey } from '../rules/evaluate/subjects.ts';
import type { Rule } from '../rules/rule.ts';
import type { HowKnown } from './as-known.ts';
import type { DayOutcome } from './trial-account.ts';

export type TrialRow = { readonly day: CivilDate; readonly subject: Subject } & (
  | Pick<Extract<Decision, { kind: 'change' }>, 'kind' | 'budgetId' | 'from' | 'to' | 'limitedBy' | 'reason'>
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
  readonly notEvaluated: readonly (DateRange & { readonly reason: string })[];
  readonly data: Readonly<Record<HowKnown, number>>;
  /** Number of checks. A campaign that is checked on ten days counts ten times. */
  readonly looked: number;
  readonly fired: number;
  readonly unknown: number;
  readonly changes: number;
  readonly refused: ReadonlyMap<RefusalCode, number>;
  /** Undefined for rules that change budgets. */
  readonly alerts: number | undefined;
}

export class BacktestTally {
  readonly rows: TrialRow[] = [];
  readonly #rule: Rule;
  readonly #keepsRefusals: boolean;
  readonly #notEvaluated: (DateRange & { readonly reason: string })[] = [];
  readonly #data: Record<HowKnown, number> = { known: 0, restated: 0, not_on_record: 0 };
  readonly #counts = { evaluated: 0, looked: 0, fired: 0, unknown: 0, changes: 0, alerts: 0 };
  readonly #refused = new Map<RefusalCode, number>();
  /** An unknown condition neither ends nor starts an alert. */
  #true = new Set<string>();
  #stillUnknown = new Set<string>();

  constructor(rule: Rule, options: { readonly refusals: boolean }) {
    this.#rule = rule;
    this.#keepsRefusals = options.refusals;
  }

  /** Pass this function to {@link tryDay}. Always returns false. */
  readonly keep: Keep = (truth, _rule, subject) => {
    if (truth === 'unknown' && this.#true.size > 0) {
      const key = subjectKey(subject);
      if (this.#true.has(key)) this.#stillUnknown.add(key);
    }
    return false;
  };

  take(day: CivilDate, { evaluations, verdicts, decisions }: DayOutcome, how: HowKnown): void {
    const evaluation = evaluations.get(this.#rule);
    if (evaluation?.kind !== 'evaluated') {
      this.skip({ from: day, to: day }, evaluation?.reason ?? 'it was not evaluated');
      return;
    }
    const { true: fired, false: quiet, unknown } = evaluation.counts;
    this.#counts.evaluated += 1;
    this.#counts.looked += fired + quiet + unknown;
    this.#counts.fired += fired;
    this.#counts.unknown += unknown;
    this.#data[how] += 1;
    if (this.#rule.change === undefined) this.#takeAlerts(day, verdicts);
    for (const decision of decisions) this.#takeDecision(day, decision);
  }

  skip({ from, to }: DateRange, reason: string): void {
    const before = this.#notEvaluated.at(-1);
    const goesOn = before?.reason === reason && addDays(before.to, 1) === from;
    if (goesOn) this.#notEvaluated.pop();
    this.#notEvaluated.push({ from: goesOn ? before.from : from, to, reason });
  }

  sums(): TrialSums {
    const alerts = this.#rule.change === undefined ? this.#counts.alerts : undefined;
    return { ...this.#counts, alerts, notEvaluated: this.#notEvaluated, data: this.#data, refused: this.#refused };
  }

  #takeAlerts(day: CivilDate, verdicts: DayOutcome['verdicts']): void {
    const now = new Set(this.#stillUnknown);
    for (const verdict of verdicts) {
      const key = subjectKey(verdict.subject);
      now.add(key);
      if (this.#true.has(key)) continue;
      this.#counts.alerts += 1;
      this.rows.push({ kind: 'alert', day, subject: verdict.subject, text: verdict.alertText() ?? '' });
    }
    this.#true = now;
    this.#stillUnknown = new Set();
  }

  #takeDecision(day: CivilDate, decision: Decision): void {
    const { subject } = decision.request;
    if (decision.kind === 'change') {
      const { budgetId, from, to, limitedBy, reason } = decision;
      this.#counts.changes += 1;
      this.rows.push({ kind: 'change', day, subject, budgetId, from, to, limitedBy, reason });
      return;
    }
    const { refusal, request } = decision;
    this.#refused.set(refusal.code, (this.#refused.get(refusal.code) ?? 0) + 1);
    if (!this.#keepsRefusals) return;
    this.rows.push({ kind: 'refusal', day, subject, budgetId: request.budgetId, refusal, reason: request.because });
  }
}
