import { describe, expect, it } from 'vitest';
import { formatChangeIn, formatMoneyIn } from '../../src/domain/micros.ts';

/** Locales part digits and signs by spaces that do not break. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('an amount as an account’s locale writes it', () => {
  it.each<[sentence: string, locale: string | undefined, amount: bigint, currency: string, text: string]>([
    ['without a locale is plain', undefined, 1_234_500_000n, 'EUR', '1,234.50 EUR'],
    ['in German', 'de-DE', 1_234_500_000n, 'EUR', '1.234,50 €'],
    ['in English of the States', 'en-US', 1_234_500_000n, 'USD', '$1,234.50'],
    ['in French', 'fr-FR', 1_234_500_000n, 'EUR', '1 234,50 €'],
    ['of a currency without decimals', 'de-DE', 5_000_000_000n, 'JPY', '5.000 ¥'],
    ['of a currency with three', 'en-US', 1_500_000n, 'KWD', 'KWD 1.500'],
    ['with the decimals it has beyond its currency’s', 'de-DE', 1_000_001n, 'EUR', '1,000001 €'],
    ['beyond what a float holds', 'de-DE', 9_223_372_036_854_775_807n, 'EUR', '9.223.372.036.854,775807 €'],
    ['below zero', 'de-DE', -1_500_000n, 'EUR', '-1,50 €'],
  ])('%s', (_sentence, locale, amount, currency, text) => {
    expect(plain(formatMoneyIn(locale, amount, currency))).toBe(text);
  });

  it.each<[sentence: string, locale: string | undefined, from: bigint, to: bigint, text: string]>([
    ['a decrease', undefined, 60_000_000n, 51_000_000n, '60.00 EUR to 51.00 EUR (-15%)'],
    ['an increase', undefined, 40_000_000n, 45_000_000n, '40.00 EUR to 45.00 EUR (+12.5%)'],
    ['to one decimal of a percent', undefined, 30_000_000n, 20_000_000n, '30.00 EUR to 20.00 EUR (-33.3%)'],
    ['from nothing, which has no share', undefined, 0n, 20_000_000n, '0.00 EUR to 20.00 EUR'],
    ['in German', 'de-DE', 40_000_000n, 45_000_000n, '40,00 € to 45,00 € (+12,5 %)'],
    ['a decrease in German', 'de-DE', 60_000_000n, 51_000_000n, '60,00 € to 51,00 € (-15 %)'],
  ])('a change: %s', (_sentence, locale, from, to, text) => {
    expect(plain(formatChangeIn(locale, from, to, 'EUR'))).toBe(text);
  });
});
