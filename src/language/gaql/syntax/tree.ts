import type { Span } from '../../../domain/diagnostic.ts';

export interface Query {
  readonly kind: 'query';
  readonly select: readonly SelectedField[];
  readonly from: ResourceRef | undefined;
  readonly where: readonly Condition[];
  readonly orderBy: readonly Ordering[];
  readonly limit: LimitClause | undefined;
  readonly parameters: readonly RequestParameter[];
  readonly span: Span;
}

export interface FieldRef {
  readonly kind: 'field';
  readonly name: string;
  readonly span: Span;
}

export interface SelectedField extends FieldRef {
  readonly alias: Alias | undefined;
}

export interface Alias {
  readonly name: string;
  readonly span: Span;
}

export interface ResourceRef {
  readonly kind: 'resource';
  readonly name: string;
  readonly span: Span;
}

export const SIGNS = ['=', '!=', '<', '<=', '>', '>='] as const;
const PATTERN_OPERATORS = ['LIKE', 'NOT LIKE', 'REGEXP_MATCH', 'NOT REGEXP_MATCH'] as const;
const LIST_OPERATORS = ['IN', 'NOT IN', 'CONTAINS ANY', 'CONTAINS ALL', 'CONTAINS NONE'] as const;
export const OPERATORS = [
  ...SIGNS,
  ...LIST_OPERATORS,
  ...PATTERN_OPERATORS,
  'BETWEEN',
  'DURING',
  'IS NULL',
  'IS NOT NULL',
] as const;
export type Operator = (typeof OPERATORS)[number];
export type ComparisonSign = (typeof SIGNS)[number];

export const takesList = (operator: string): boolean => LIST_OPERATORS.some((one) => one === operator);

/** `order` is negative, zero or positive, like the result of a comparison function. */
export const HOLDS: Readonly<Record<ComparisonSign, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** There are two values after BETWEEN, none in a test for null, and one otherwise, except in a list. */
export interface Condition {
  readonly field: FieldRef;
  readonly operator: Operator;
  readonly operatorSpan: Span;
  readonly values: readonly Value[];
  /** With the parentheses of a list. The operator, if there are no values. */
  readonly valuesSpan: Span;
}

export type Value = Literal | Placeholder;

/** `parameter` is the name of the parameter that gave the value. */
export type Literal = { readonly span: Span; readonly parameter?: string } & (
  | {
      /** `raw` is the text as written, with quotes and escapes. */
      readonly kind: 'string';
      readonly text: string;
      readonly raw: string;
    }
  | { readonly kind: 'number'; readonly text: string }
  /** An enum constant, TRUE, FALSE or a named period. */
  | { readonly kind: 'name'; readonly text: string }
);

/** `:name` or `:name+days`. Never sent to the service. */
export interface Placeholder {
  readonly kind: 'placeholder';
  readonly name: string;
  readonly days: number | undefined;
  readonly span: Span;
}

export interface Ordering {
  readonly field: FieldRef;
  readonly direction: 'ASC' | 'DESC';
  readonly span: Span;
}

export interface LimitClause {
  readonly rows: number;
  readonly span: Span;
}

export interface RequestParameter {
  readonly name: string;
  readonly nameSpan: Span;
  readonly value: Literal;
}
