import type { Diagnostic, Span } from '../../domain/diagnostic.ts';
import type { DiagnosticCode } from '../../gaql/codes.ts';
import type { RuleCode } from '../file/rule-codes.ts';
import type { Window } from '../language/window.ts';
import type { CheckedValue } from './checked-expression.ts';
import type { DataReach } from './data-reach.ts';
import { type PartType, WRONG } from './part-type.ts';
import type { Meaning, Place } from './rule-names.ts';
import type { TableFields } from './table-fields.ts';

/** What an expression of a rule is judged by. */
export interface Scope {
  readonly names: ReadonlyMap<string, Meaning>;
  readonly place: Place;
  /** The rule's own window, which metrics get that name none. */
  readonly over: Window | undefined;
  readonly data: TableDays;
  /** Undefined where the catalogue is not at hand: then constants are not looked at. */
  readonly fields?: TableFields | undefined;
}

/** Which days the rule's table has. */
export interface TableDays {
  /** The query's name. */
  readonly table: string;
  readonly reach: DataReach;
  /** Days that pass before the numbers of a day count. */
  readonly settleDays: number;
  /** How many days before now the rule is looked at, too, because its condition must last. */
  readonly earlierDays: number;
}

/** What is found while an expression is checked. */
export interface Checking {
  readonly scope: Scope;
  /** The text that the spans point into. */
  readonly text: string;
  readonly diagnostics: Diagnostic[];
  /** Literals that stand for amounts of money. */
  readonly amounts: Span[];
  /** How many metrics got the rule's own window. */
  ownDaysUsed: number;
  /** How many metrics there are. */
  metricsUsed: number;
  /** Whether what is being checked is compared with text. */
  besideText: boolean;
}

/** A window that is written behind a value, for the metrics within. */
export interface Around {
  readonly window: Window;
  /** Whether a metric within took it. */
  taken: boolean;
}

/** A part's type and what it comes to; the value is undefined where the part is wrong. */
export interface Typed {
  readonly type: PartType;
  readonly value: CheckedValue | undefined;
}

export const WRONG_PART: Typed = { type: WRONG, value: undefined };

export type Code = RuleCode | DiagnosticCode;

export function beginChecking(scope: Scope, text: string): Checking {
  return { scope, text, diagnostics: [], amounts: [], ownDaysUsed: 0, metricsUsed: 0, besideText: false };
}

export function refuse(checking: Checking, code: Code, span: Span, message: string, hint?: string): Typed {
  checking.diagnostics.push({ code, severity: 'error', span, message, ...(hint === undefined ? {} : { hint }) });
  return WRONG_PART;
}

/** The part as it is written. */
export function written({ text }: Checking, { start, end }: Span): string {
  return text.slice(start.offset, end.offset);
}
