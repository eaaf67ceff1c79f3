import { type Diagnostic, finding, type Span } from '../../../domain/diagnostic.ts';
import { unreachable } from '../../../domain/errors.ts';
import { type Catalogue, type CatalogueField, isSelectable } from '../../gaql/catalogue/catalogue.ts';
import { columnName, MICROS } from '../../gaql/check/column.ts';
import type { DiagnosticCode } from '../../gaql/codes.ts';
import type { RuleCode } from '../file/rule-codes.ts';
import type { Window } from '../language/window.ts';
import type { RuleTable } from '../rule.ts';
import type { CheckedValue } from './checked-expression.ts';
import type { Meaning, Place } from './rule-names.ts';

/** `moneyPower` is 1 for an amount, 0 for a count, −1 for clicks per euro. */
export type PartType =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'text' }
  | NumberType
  /** The type after an error. Matches every expected type, so that no second error is reported. */
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
  fieldOf(column: string): CatalogueField | undefined;
  /** `name` is the name of a column. The ending `_micros` may be missing. */
  selectable(name: string): CatalogueField | undefined;
}

export function tableFields({ columns, resource }: RuleTable, { fields, resources }: Catalogue): TableFields {
  const from = resources.get(resource ?? '');
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

export interface Scope {
  readonly names: ReadonlyMap<string, Meaning>;
  readonly place: Place;
  readonly over: Window | undefined;
  readonly data: TableDays;
  /** If undefined, constants are not checked. */
  readonly fields?: TableFields | undefined;
}

/** Days count back from the account's today: 1 is yesterday. */
export type DataReach =
  | { readonly kind: 'fixed' }
  | {
      readonly kind: 'moving';
      /** The table's first day. Infinite if this day is a fixed date. */
      readonly oldest: number;
      /** The table's last day. */
      readonly newest: number;
    };

export interface TableDays {
  readonly table: string;
  readonly reach: DataReach;
  readonly settleDays: number;
  /** True if the rows have an hour of the day. */
  readonly hasHours: boolean;
  /** Number of earlier days on which the condition must also be true. */
  readonly earlierDays: number;
}

export interface Checking {
  readonly scope: Scope;
  readonly text: string;
  readonly diagnostics: Diagnostic[];
  readonly amounts: Span[];
  ownDaysUsed: number;
  metricsUsed: number;
  besideText: boolean;
}

export interface Found {
  readonly diagnostics: readonly Diagnostic[];
  /** Position of the first amount of money in the text. */
  readonly amountAt: Span | undefined;
  readonly usesOwnDays: boolean;
}

export interface Around {
  readonly window: Window;
  taken: boolean;
}

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

export function written({ text }: Checking, { start, end }: Span): string {
  return text.slice(start.offset, end.offset);
}
