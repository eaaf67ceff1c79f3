import type { DateRange } from '../../../domain/civil-date.ts';
import { formatMoneyRounded, MICROS_PER_UNIT } from '../../../domain/micros.ts';
import { exactText, multiply, parseExact, type Rational, rational, roundHalfAway } from '../../../domain/rational.ts';
import { formatNumber, formatShare, type NumberUnit } from './explain.ts';

export type DecidedNumber = {
  /** Text such as "cost / clicks" from the rule's file, or the name of a pacing number such as "spent". */
  readonly name: string;
  readonly days: readonly DateRange[];
  readonly computed: boolean;
} & (
  | {
      /** An exact number, such as "0.0412" or "1322520000/7", or a text. */
      readonly value: string;
      readonly unit: NumberUnit | 'text';
    }
  | { readonly value: null; readonly unit: null }
);

export interface Shortfall {
  readonly name: string;
  readonly found: string | null;
  readonly least: string;
  readonly unit: NumberUnit;
}

/** Converts amounts from currency units to micros. */
export function exactIn(unit: NumberUnit, value: Rational): string {
  return exactText(unit === 'micros' ? multiply(value, rational(MICROS_PER_UNIT)) : value);
}

export function numberWords(value: string, unit: NumberUnit, currency: string | undefined): string {
  const number = parseExact(value);
  if (unit === 'micros') return formatMoneyRounded(roundHalfAway(number), currency);
  return unit === 'share' ? formatShare(number) : formatNumber(number);
}

/** Undefined if there is no number, or if a value is unknown. */
export function listNumbers(numbers: readonly DecidedNumber[], currency: string | undefined): string | undefined {
  const read = numbers.filter(({ computed }) => !computed);
  if (read.some(({ value }) => value === null)) return undefined;
  const words = read.flatMap(({ name, value, unit }) =>
    value === null || unit === 'text' ? [] : [`${name} ${numberWords(value, unit, currency)}`],
  );
  return words.length === 0 ? undefined : [...new Set(words)].join(', ');
}
