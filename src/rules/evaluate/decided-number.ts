import type { DateRange } from '../../domain/civil-date.ts';
import { formatMoneyRounded, MICROS_PER_UNIT } from '../../domain/micros.ts';
import { exactText, multiply, parseExact, type Rational, rational, roundHalfAway } from '../../domain/rational.ts';
import type { CheckedValue } from '../check/checked-expression.ts';
import { formatNumber, formatShare, meaningOf } from './explain.ts';

/** Micros are of the account's currency; a share is a part of 1. */
export type NumberUnit = 'micros' | 'count' | 'share' | 'number';

/** A number that a rule decided on, or a text; plain JSON data. */
export type DecidedNumber = {
  /** As the rule's file has it: "cost / clicks", "clicks over 30 days"; for the numbers of a pace see `numbersOfPace`. */
  readonly name: string;
  /** The days that it was read from; none for a budget or an attribute. */
  readonly days: readonly DateRange[];
  /** Whether it was computed from others of the list. */
  readonly computed: boolean;
} & (
  | {
      /** For a number exact: "0.0412", "1322520000/7". */
      readonly value: string;
      readonly unit: NumberUnit | 'text';
    }
  /** Not known. */
  | { readonly value: null; readonly unit: null }
);

/** A number of which a rule needs more. The two are exact. */
export interface Shortfall {
  readonly name: string;
  /** Null where it is not known. */
  readonly found: string | null;
  readonly least: string;
  readonly unit: NumberUnit;
}

export function unitOf(tree: CheckedValue): NumberUnit {
  const meaning = meaningOf(tree);
  return meaning === 'money' ? 'micros' : meaning;
}

/** A value as conditions have it, amounts in currency units. */
export function exactIn(unit: NumberUnit, value: Rational): string {
  return exactText(unit === 'micros' ? multiply(value, rational(MICROS_PER_UNIT)) : value);
}

/** "1,322.52 EUR", "4.12%", "412". */
export function numberWords(value: string, unit: NumberUnit, currency: string | undefined): string {
  const number = parseExact(value);
  if (unit === 'micros') return formatMoneyRounded(roundHalfAway(number), currency);
  return unit === 'share' ? formatShare(number) : formatNumber(number);
}

/** The numbers that were read: `clicks 412, cost 1,322.52 EUR`. Undefined when one is not known, or there is none. */
export function listNumbers(numbers: readonly DecidedNumber[], currency: string | undefined): string | undefined {
  const read = numbers.filter(({ computed }) => !computed);
  if (read.some(({ value }) => value === null)) return undefined;
  const words = read.flatMap(({ name, value, unit }) =>
    value === null || unit === 'text' ? [] : [`${name} ${numberWords(value, unit, currency)}`],
  );
  return words.length === 0 ? undefined : [...new Set(words)].join(', ');
}
