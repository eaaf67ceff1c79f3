import { formatDigitsRounded, MICROS_PER_UNIT } from '../../domain/micros.ts';
import { rational, roundHalfAway } from '../../domain/rational.ts';
import type { MonthTarget } from '../../language/results/account-month.ts';

const WHOLE_FROM = 100n * MICROS_PER_UNIT;

/** Text such as "1,933". Only amounts below 100 have decimals. */
export function shortDigits(amount: bigint | undefined, currency: string | undefined): string | undefined {
  if (amount === undefined) return undefined;
  const isSmall = amount > -WHOLE_FROM && amount < WHOLE_FROM;
  return isSmall
    ? formatDigitsRounded(amount, currency)
    : roundHalfAway(rational(amount, MICROS_PER_UNIT)).toLocaleString('en-US');
}

export function shortMoney(amount: bigint | undefined, currency: string | undefined): string | undefined {
  const digits = shortDigits(amount, currency);
  return digits === undefined || currency === undefined ? digits : `${digits} ${currency}`;
}

/** Text such as "+7%", or "new" if only the earlier value is zero. */
export function shareOfChange(now: bigint | undefined, before: bigint | undefined): string | undefined {
  if (now === undefined || before === undefined) return undefined;
  if (before === 0n) return now === 0n ? '0%' : 'new';
  const whole = roundHalfAway(rational((now - before) * 100n, before < 0n ? -before : before));
  return `${whole > 0n ? '+' : ''}${whole.toLocaleString('en-US')}%`.replace('-', '−');
}

/** Text such as "without 2 earlier days". */
export function lackedWords(days: number): string {
  return `without ${days} earlier ${days === 1 ? 'day' : 'days'}`;
}

/** Text such as "1,933 of 1,800": the expected spend, then the target. */
export function targetDigits(
  { target, projected }: Pick<MonthTarget, 'target' | 'projected'>,
  currency: string | undefined,
): string {
  return `${shortDigits(projected, currency)} of ${shortDigits(target, currency)}`;
}

/** Text such as "will end at 1,933 EUR, target 1,800". */
export function endWords(
  { target, projected }: Pick<MonthTarget, 'target' | 'projected'>,
  currency: string | undefined,
): string {
  return `will end at ${shortMoney(projected, currency)}, target ${shortDigits(target, currency)}`;
}

/** Text such as "over target". Undefined if the target is met. */
export function offWords({ off, isSpent }: Pick<MonthTarget, 'off' | 'isSpent'>): string | undefined {
  return off === undefined ? undefined : isSpent ? 'target already spent' : `${off} target`;
}

/** Undefined for a target of a run of an older version. */
export function coveredBudgets({ covers }: MonthTarget): string | undefined {
  if (covers.length === 0) return undefined;
  return covers.length === 1 ? '1 budget' : `${covers.length} budgets`;
}

/** Text such as "month-pacing (Boots, Tents, Stoves and 2 more)". */
export function targetName({ rule, covers }: MonthTarget): string {
  if (covers.length === 0) return rule;
  const more = covers.length - NAMED_MAX;
  return `${rule} (${covers.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

const NAMED_MAX = 3;
