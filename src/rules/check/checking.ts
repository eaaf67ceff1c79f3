import { type Diagnostic, finding, type Span } from '../../domain/diagnostic.ts';
import { unreachable } from '../../domain/errors.ts';
import { type Catalogue, type CatalogueField, isSelectable } from '../../gaql/catalogue/catalogue.ts';
import { columnName, MICROS } from '../../gaql/check/column.ts';
import type { DiagnosticCode } from '../../gaql/codes.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import type { RuleCode } from '../file/rule-codes.ts';
import type { Window } from '../language/window.ts';
import type { CheckedValue } from './checked-expression.ts';
import type { Meaning, Place } from './rule-names.ts';

/**
 * The type of a part. A number has a power of money: 1 for an amount, 0 for a count or a share, −1 for clicks per euro.
 * A literal has none of its own: beside an amount it is an amount.
 */
export type PartType =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'text' }
  | NumberType
  /** Reported already; fits everywhere so that one mistake gives one message. */
  | { readonly kind: 'wrong' };

interface NumberType {
  readonly kind: 'number';
  readonly moneyPower: number;
  readonly literal: boolean;
  readonly zero: boolean;
}

export const BOOLEAN: PartType = { kind: 'boolean' };
export const TEXT: PartType = { kind: 'text' };
export const WRONG: PartType = { kind: 'wrong' };

export function numberType(moneyPower: number): NumberType {
  return { kind: 'number', moneyPower, literal: false, zero: false };
}

/** Of a product or, `divided`, a quotient. */
export function productType(left: NumberType, right: NumberType, divided: boolean): NumberType {
  return {
    kind: 'number',
    moneyPower: left.moneyPower + (divided ? -right.moneyPower : right.moneyPower),
    literal: left.literal && right.literal,
    zero: left.zero || (!divided && right.zero),
  };
}

export function typeWords(type: PartType): string {
  switch (type.kind) {
    case 'boolean':
      return 'a condition';
    case 'text':
      return 'text';
    case 'number':
      return 'a number';
    case 'wrong':
      return 'something wrong';
    default:
      return unreachable(type);
  }
}

interface TableFields {
  /** The field that a column of the table holds. */
  fieldOf(column: string): CatalogueField | undefined;
  /** A field that the query could select, by the name that its column, or the amount beside it, would have. */
  selectable(name: string): CatalogueField | undefined;
}

export function tableFields({ columns, resource }: QueryFile, { fields, resources }: Catalogue): TableFields {
  const from = resources.get(resource);
  return {
    fieldOf(name) {
      const column = columns.find((each) => each.name === name);
      return column && fields.get(column.field);
    },
    selectable(name) {
      const candidates = new Set([name, `${name}${MICROS}`]);
      const found = [...fields.values()].filter((field) => candidates.has(columnName(field.name)));
      return from && found.find((field) => isSelectable(from, field));
    },
  };
}

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

/** The days a query reads, counted back from the account's today: 1 is yesterday. */
export type DataReach =
  /** The same days whatever day it is. */
  | { readonly kind: 'fixed' }
  | {
      readonly kind: 'moving';
      /** The first of them on the days when it reaches farthest; infinite where the first is a fixed day. */
      readonly oldest: number;
      /** The last of them on the days when it comes nearest. */
      readonly newest: number;
    };

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

/** What was found in one text; spans point into it. */
export interface Found {
  readonly diagnostics: readonly Diagnostic[];
  /** The first literal that stands for an amount, so that the text means nothing without a currency. */
  readonly amountAt: Span | undefined;
  /** Whether a metric is summed over the rule's own window. */
  readonly usesOwnDays: boolean;
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

export function beginChecking(scope: Scope, text: string): Checking {
  return { scope, text, diagnostics: [], amounts: [], ownDaysUsed: 0, metricsUsed: 0, besideText: false };
}

export function refuse(
  checking: Checking,
  code: RuleCode | DiagnosticCode,
  span: Span,
  message: string,
  hint?: string,
): Typed {
  checking.diagnostics.push(finding(code, span, message, hint));
  return WRONG_PART;
}

/** The part as it is written. */
export function written({ text }: Checking, { start, end }: Span): string {
  return text.slice(start.offset, end.offset);
}
