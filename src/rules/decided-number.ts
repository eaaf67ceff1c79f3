import { formatMoneyRounded, MICROS_PER_UNIT } from '../domain/micros.ts';
import { exactText, multiply, parseExact, type Rational, rational, roundHalfAway } from '../domain/rational.ts';
import type { CheckedValue } from './checked-expression.ts';
import { formatNumber, formatShare, meaningOf } from './format-value.ts';

/** Micros are of the account's currency; a share is a part of 1. */
export type NumberUnit = 'micros' | 'count' | 'share' | 'number';

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
