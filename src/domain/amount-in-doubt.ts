import { formatMoney, type Micros } from './micros.ts';
import { asRecorded, type ShowInstant } from './show-instant.ts';

/** A budget that shows another amount than our record has, and nobody knows yet which of the two is true. */
export interface AmountInDoubt {
  /** The amount in our record. */
  readonly expected: Micros;
  readonly found: Micros;
  /** Instant, UTC: a reading from then on decides. */
  readonly until: string;
}

/** "shows 60.00 EUR, and the record has 51.00 EUR: …", without a full stop. */
export function doubtWords(
  { expected, found, until }: AmountInDoubt,
  currency: string,
  show: ShowInstant = asRecorded,
): string {
  const amounts = `shows ${formatMoney(found, currency)}, and the record has ${formatMoney(expected, currency)}`;
  return `${amounts}: a reading may lag behind a change. A reading after ${show(until)} decides`;
}
