import type { CivilDate } from '../../../domain/civil-date.ts';
import type { BudgetId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/micros.ts';
import type { Rational } from '../../../domain/rational.ts';

/** A running budget, and the value by which a reallocation compares it with others. */
export interface MeasuredBudget {
  readonly budgetId: BudgetId;
  readonly amount: Micros;
  /** Undefined if unknown. */
  readonly value: Rational | undefined;
  /** Text such as "conversions_value / cost (unknown: division by zero) of budget 11 (Tents)". */
  readonly words: string;
  /** The first day of the value. */
  readonly since: CivilDate;
}
