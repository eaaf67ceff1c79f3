import type { Span } from '../../domain/diagnostic.ts';
import type { Rational } from '../../domain/rational.ts';
import type { ArithmeticSign, ComparisonSign } from '../language/expression.ts';
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
export type CheckedValue =
  /** A percentage is held as its share: 20% is 1/5. */
  | { readonly kind: 'number'; readonly value: Rational; readonly span: Span }
  | { readonly kind: 'text'; readonly value: string; readonly span: Span }
  | { readonly kind: 'metric'; readonly metric: MetricUse; readonly span: Span }
  /** A text, a number or, `inMicros`, an amount; as the newest day of the rule's days has it. */
  | { readonly kind: 'attribute'; readonly column: string; readonly inMicros: boolean; readonly span: Span }
  /** The amount of the subject's budgets now, in currency units. */
  | { readonly kind: 'budget'; readonly span: Span }
  | { readonly kind: 'negation'; readonly operand: CheckedValue; readonly span: Span }
  | {
      readonly kind: 'arithmetic';
      readonly sign: ArithmeticSign;
      readonly left: CheckedValue;
      readonly right: CheckedValue;
      readonly span: Span;
    }
  /** The first of them that is known. */
  | { readonly kind: 'coalesce'; readonly values: readonly CheckedValue[]; readonly span: Span };

/** A condition whose names are resolved. */
export type CheckedCondition =
  | {
      readonly kind: 'comparison';
      readonly sign: ComparisonSign;
      readonly left: CheckedValue;
      readonly right: CheckedValue;
      readonly span: Span;
    }
  | {
      readonly kind: 'between';
      readonly negated: boolean;
      readonly operand: CheckedValue;
      readonly low: CheckedValue;
      readonly high: CheckedValue;
      readonly span: Span;
    }
  | {
      readonly kind: 'in';
      readonly negated: boolean;
      readonly operand: CheckedValue;
      readonly list: readonly CheckedValue[];
      readonly span: Span;
    }
  /** `%` any text, `_` any character; capitals and small letters are the same. */
  | {
      readonly kind: 'like';
      readonly negated: boolean;
      readonly operand: CheckedValue;
      readonly pattern: string;
      readonly span: Span;
    }
  /** `IS NULL`: the value is not known. Itself always known. */
  | { readonly kind: 'null_test'; readonly negated: boolean; readonly operand: CheckedValue; readonly span: Span }
  | { readonly kind: 'not'; readonly operand: CheckedCondition; readonly span: Span }
  | {
      readonly kind: 'logic';
      readonly sign: 'AND' | 'OR';
      readonly left: CheckedCondition;
      readonly right: CheckedCondition;
      readonly span: Span;
    };
