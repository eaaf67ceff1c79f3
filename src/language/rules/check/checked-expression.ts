import type { Span } from '../../../domain/diagnostic.ts';
import type { SummedColumn } from '../../../domain/member.ts';
import type { Rational } from '../../../domain/rational.ts';
import type { ComparisonSign } from '../../gaql/syntax/tree.ts';
import type { ArithmeticSign, Sides, Tested } from '../language/expression.ts';
import type { Window } from '../language/window.ts';

export type Measure = 'sum' | DayMeasure;

export const DAY_MEASURES = ['mean', 'deviation', 'median', 'mad'] as const;
export type DayMeasure = (typeof DAY_MEASURES)[number];

export interface MetricUse extends SummedColumn {
  readonly inMicros: boolean;
  /** Only sums of conversions may be below zero, after adjustments. */
  readonly neverNegative: boolean;
  readonly window: Window;
  readonly measure: Measure;
}

/** Values of the account's clock when rules are evaluated. `days_left` counts the days of the month from today on. */
export const CLOCK_NAMES = ['weekday', 'day_of_month', 'days_left', 'hour'] as const;
export type ClockName = (typeof CLOCK_NAMES)[number];

/** A percentage is a share: 20% is 1/5. */
export type CheckedValue = { readonly span: Span } & (
  | { readonly kind: 'number'; readonly value: Rational }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'metric'; readonly metric: MetricUse }
  /** The value on the newest of the rule's days that has rows. */
  | { readonly kind: 'attribute'; readonly column: string; readonly inMicros: boolean }
  /** The sum of the subject's daily budgets, in currency units. */
  | { readonly kind: 'budget' }
  | { readonly kind: 'clock'; readonly name: ClockName }
  | { readonly kind: 'negation'; readonly operand: CheckedValue }
  | ({ readonly kind: 'arithmetic'; readonly sign: ArithmeticSign } & Sides<CheckedValue>)
  /** Seven values, starting with Monday. */
  | { readonly kind: 'by_weekday'; readonly values: readonly CheckedValue[] }
  | { readonly kind: 'coalesce'; readonly values: readonly CheckedValue[] }
);

interface Negatable {
  readonly negated: boolean;
}

export type CheckedCondition = { readonly span: Span } & (
  | ({ readonly kind: 'comparison'; readonly sign: ComparisonSign } & Sides<CheckedValue>)
  | ({ readonly kind: 'logic'; readonly sign: 'AND' | 'OR' } & Sides<CheckedCondition>)
  | { readonly kind: 'not'; readonly operand: CheckedCondition }
  | ({ readonly kind: 'between'; readonly low: CheckedValue; readonly high: CheckedValue } & Tested<CheckedValue>)
  | ({ readonly kind: 'in'; readonly list: readonly CheckedValue[] } & Tested<CheckedValue>)
  /** True if the subject has the label of this name. Without labels, false. */
  | ({ readonly kind: 'labelled'; readonly name: string; readonly labels: CheckedValue } & Negatable)
  /** `%` matches any text, `_` any character. Ignores case. */
  | ({ readonly kind: 'like'; readonly pattern: string } & Tested<CheckedValue>)
  | ({ readonly kind: 'null_test' } & Tested<CheckedValue>)
);
