import type { Span } from '../../domain/diagnostic.ts';

/** A parsed query. Immutable; every node knows its place in the text. */
export interface Query {
  readonly kind: 'query';
  readonly select: readonly FieldRef[];
  readonly from: ResourceRef | undefined;
  readonly where: readonly Condition[];
  readonly orderBy: readonly Ordering[];
  readonly limit: LimitClause | undefined;
  readonly span: Span;
}

export interface FieldRef {
  readonly kind: 'field';
  /** Dotted snake case, as the service names it: `metrics.cost_micros`. */
  readonly name: string;
  readonly span: Span;
}

export interface ResourceRef {
  readonly kind: 'resource';
  readonly name: string;
  readonly span: Span;
}

export type ComparisonSign = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'LIKE' | 'NOT LIKE';

export type Condition =
  | (ConditionPlace & { readonly kind: 'comparison'; readonly operator: ComparisonSign; readonly value: Scalar })
  | (ConditionPlace & {
      readonly kind: 'membership';
      readonly operator: 'IN' | 'NOT IN';
      readonly values: readonly Scalar[];
      readonly listSpan: Span;
    })
  | (ConditionPlace & { readonly kind: 'between'; readonly low: Scalar; readonly high: Scalar })
  | (ConditionPlace & { readonly kind: 'during'; readonly period: Scalar })
  | (ConditionPlace & { readonly kind: 'null_test'; readonly operator: 'IS NULL' | 'IS NOT NULL' });

interface ConditionPlace {
  readonly field: FieldRef;
  readonly operatorSpan: Span;
}

export type Scalar =
  /** `text` is the value, escapes resolved; `raw` is what was written, quotes included. */
  | { readonly kind: 'string'; readonly text: string; readonly raw: string; readonly span: Span }
  | { readonly kind: 'number'; readonly text: string; readonly span: Span }
  /** An enum constant, TRUE, FALSE or a named period. */
  | { readonly kind: 'name'; readonly text: string; readonly span: Span };

export interface Ordering {
  readonly field: FieldRef;
  readonly direction: 'ASC' | 'DESC';
}

export interface LimitClause {
  readonly rows: number;
  readonly span: Span;
}
