import type { Span } from '../../domain/diagnostic.ts';
import type { Rational } from '../../domain/rational.ts';
import type { ArithmeticSign, ComparisonSign, Sides, Tested } from '../language/expression.ts';
import type { Window } from '../language/window.ts';

/** How the days of a window become one number. A plain metric is a sum; over `same_weekday` it is a mean of the days. */
export type Measure = 'sum' | DayMeasure;

/** What is said of single days. */
export const DAY_MEASURES = ['mean', 'deviation', 'median', 'mad'] as const;
export type DayMeasure = (typeof DAY_MEASURES)[number];

/** A metric column over a window. */
export interface MetricUse {
  /** The table's column: `clicks`, `cost_micros`. */
  readonly column: string;
  /** INT64 sums are exact; DOUBLE ones are read to the millionth of each row's value. */
  readonly type: 'INT64' | 'DOUBLE';
  /** The value in currency units is the column's value divided by a million. */
  readonly inMicros: boolean;
  readonly window: Window;
  readonly measure: Measure;
}

/** A value whose names are resolved: what is compared, and what templates and changes compute. Spans as in the source. */
export type CheckedValue = { readonly span: Span } /** A percentage is held as its share: 20% is 1/5. */ & (
  | { readonly kind: 'number'; readonly value: Rational }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'metric'; readonly metric: MetricUse }
  /** A text, a number or, `inMicros`, an amount; as the newest day of the rule's days has it. */
  | { readonly kind: 'attribute'; readonly column: string; readonly inMicros: boolean }
  /** The amount of the subject's budgets now, in currency units. */
  | { readonly kind: 'budget' }
  | { readonly kind: 'negation'; readonly operand: CheckedValue }
  | ({ readonly kind: 'arithmetic'; readonly sign: ArithmeticSign } & Sides<CheckedValue>)
  /** The first of them that is known. */
  | { readonly kind: 'coalesce'; readonly values: readonly CheckedValue[] }
);

/** A condition whose names are resolved. */
export type CheckedCondition = { readonly span: Span } & (
  | ({ readonly kind: 'comparison'; readonly sign: ComparisonSign } & Sides<CheckedValue>)
  | ({ readonly kind: 'logic'; readonly sign: 'AND' | 'OR' } & Sides<CheckedCondition>)
  | { readonly kind: 'not'; readonly operand: CheckedCondition }
  | ({ readonly kind: 'between'; readonly low: CheckedValue; readonly high: CheckedValue } & Tested<CheckedValue>)
  | ({ readonly kind: 'in'; readonly list: readonly CheckedValue[] } & Tested<CheckedValue>)
  /** `%` any text, `_` any character; capitals and small letters are the same. */
  | ({ readonly kind: 'like'; readonly pattern: string } & Tested<CheckedValue>)
  /** `IS NULL`: the value is not known. Itself always known. */
  | ({ readonly kind: 'null_test' } & Tested<CheckedValue>)
);
