import { CURRENCY_DECIMALS } from './currency-units.ts';
import { formatMoney, unitsOf } from './micros.ts';
import { divide, formatRational, multiply, rational, subtract } from './rational.ts';

/** Finer than a micro nothing is. */
const DECIMALS_MAX = 6;
const PERCENT_DECIMALS_MAX = 1;

/**
 * An amount in micros as the locale writes money: "1.234,50 €" for `de-DE`; without one as {@link formatMoney} does. Exact:
 * all the decimals that the amount has, and at least those of the currency.
 */
export function formatMoneyIn(locale: string | undefined, amount: bigint, currency: string): string {
  if (locale === undefined) return formatMoney(amount, currency);
  const format = new Intl.NumberFormat(locale, {
    ...{ style: 'currency', currency, maximumFractionDigits: DECIMALS_MAX },
    minimumFractionDigits: CURRENCY_DECIMALS.get(currency) ?? 2,
  });
  return format.format(decimalText(formatRational(unitsOf(amount), DECIMALS_MAX)));
}

/** "60.00 EUR to 51.00 EUR (-15%)": amounts in micros, and the change as a share of the old one where it has one. */
export function formatChangeIn(locale: string | undefined, from: bigint, to: bigint, currency: string): string {
  const amounts = `${formatMoneyIn(locale, from, currency)} to ${formatMoneyIn(locale, to, currency)}`;
  const share = divide(subtract(rational(to), rational(from)), rational(from));
  if (share === undefined) return amounts;
  if (locale === undefined) {
    const percent = formatRational(multiply(share, rational(100n)), PERCENT_DECIMALS_MAX);
    return `${amounts} (${to > from ? '+' : ''}${percent}%)`;
  }
  const format = new Intl.NumberFormat(locale, {
    ...{ style: 'percent', maximumFractionDigits: PERCENT_DECIMALS_MAX, signDisplay: 'exceptZero' },
  });
  return `${amounts} (${format.format(decimalText(formatRational(share, 2 + PERCENT_DECIMALS_MAX)))})`;
}

/** Intl reads decimal text exactly; a number would lose the last micros of a large amount. */
function decimalText(text: string): Intl.StringNumericLiteral {
  return text as Intl.StringNumericLiteral;
}
