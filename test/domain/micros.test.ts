import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../src/domain/errors.ts';
import {
  CURRENCY_DECIMALS,
  formatChangeIn,
  formatMoney,
  formatMoneyChange,
  formatMoneyIn,
  formatMoneyRounded,
  micros,
  parseAmount,
  parseMicros,
  roundDownToUnit,
  roundUpToUnit,
  smallestUnit,
  unitsOf,
} from '../../src/domain/micros.ts';
import { rational } from '../../src/domain/rational.ts';

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

describe('amounts as int64 text', () => {
  it('B5: every int64 reads back as the same text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: MIN, max: MAX }), (value) => {
        expect(parseMicros(String(value))).toBe(value);
        expect(micros(value)).toBe(value);
      }),
    );
  });

  it.each([
    ['the largest', '9223372036854775807', MAX],
    ['the smallest', '-9223372036854775808', MIN],
    ['an amount that no float holds', '9007199254740993', 9007199254740993n],
    ['zero', '0', 0n],
    ['zero with a sign', '-0', 0n],
  ])('B5: takes %s', (_, text, value) => {
    expect(parseMicros(text)).toBe(value);
  });

  it.each([
    ['one above the largest', '9223372036854775808'],
    ['one below the smallest', '-9223372036854775809'],
    ['twenty digits', '00000000000000000001'],
    ['nothing', ''],
    ['a decimal', '1.0'],
    ['an exponent', '1e6'],
    ['a plus', '+1'],
    ['spaces', ' 1'],
    ['a line break', '1\n'],
    ['digits of another script', '١'],
    ['hexadecimal', '0x1'],
  ])('B5: refuses %s', (_, text) => {
    expect(parseMicros(text)).toBeUndefined();
  });

  it('B5: stays within int64', () => {
    expect(() => micros(MAX + 1n)).toThrow(InvariantError);
    expect(() => micros(MIN - 1n)).toThrow('-9223372036854775809 micros is outside the int64 range.');
  });
});

describe('an amount as people write it', () => {
  it.each([
    ['whole units', '12', 12_000_000n],
    ['two decimals', '12.50', 12_500_000n],
    ['one micro', '0.000001', 1n],
    ['spaces around it', ' 5 ', 5_000_000n],
    ['a tenth, exactly', '0.1', 100_000n],
    ['the maximum', '9223372036854.775807', 9_223_372_036_854_775_807n],
  ])('takes %s', (_, text, value) => {
    expect(parseAmount(text)).toBe(value);
  });

  it.each([...'-1 +1 1. .5 1,5 1e3 0.0000001 9223372036854.775808 0x5 NaN'.split(' '), '', '1 000', '5 EUR'])(
    'refuses %j',
    (text) => {
      expect(parseAmount(text)).toBeUndefined();
    },
  );

  it('gives the same fraction of units', () => {
    expect(unitsOf(micros(2_500_000n))).toEqual({ n: 5n, d: 2n });
  });
});

describe('the smallest unit of a currency', () => {
  it.each([
    ['EUR', 10_000n],
    ['USD', 10_000n],
    ['JPY', 1_000_000n],
    ['KRW', 1_000_000n],
    ['KWD', 1_000n],
    ['BHD', 1_000n],
  ])('of %s is %s micros', (currency, unit) => {
    expect(smallestUnit(currency)).toBe(unit);
  });

  it.each(['', 'eur', 'EURO', 'EU', 'ZZZ', 'EUT', '€', 'EUR '])('of %j is unknown', (currency) => {
    expect(smallestUnit(currency)).toBeUndefined();
  });
});

describe('rounding to a unit', () => {
  it.each([
    ['a multiple stays', 50_000n, 1n, 10_000n, 50_000n, 50_000n],
    ['in between goes to either side', 54_999n, 1n, 10_000n, 50_000n, 60_000n],
    ['a fraction of a micro counts', 100_001n, 10n, 10_000n, 10_000n, 20_000n],
    ['below zero, down is away from zero', -1n, 1n, 10_000n, -10_000n, 0n],
    ['a negative multiple stays', -20_000n, 1n, 10_000n, -20_000n, -20_000n],
    ['zero stays', 0n, 1n, 1_000_000n, 0n, 0n],
    ['yen have no decimals', 1_999_999n, 1n, 1_000_000n, 1_000_000n, 2_000_000n],
  ])('%s', (_, n, d, unit, down, up) => {
    expect(roundDownToUnit(rational(n, d), micros(unit))).toBe(down);
    expect(roundUpToUnit(rational(n, d), micros(unit))).toBe(up);
  });

  it('stays within one unit on its own side, and is a multiple', () => {
    const n = fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n });
    const d = fc.bigInt({ min: 1n, max: 10n ** 12n });
    fc.assert(
      fc.property(n, d, fc.constantFrom(100n, 1_000n, 10_000n, 1_000_000n), (numerator, denominator, unit) => {
        const down = roundDownToUnit(rational(numerator, denominator), micros(unit));
        const up = roundUpToUnit(rational(numerator, denominator), micros(unit));
        expect(down % unit).toBe(0n);
        expect(up % unit).toBe(0n);
        expect(down * denominator <= numerator && numerator < (down + unit) * denominator).toBe(true);
        expect((up - unit) * denominator < numerator && numerator <= up * denominator).toBe(true);
      }),
    );
  });
});

describe('an amount as text', () => {
  it.each([
    ['two decimals at least', 12_500_000n, 'EUR', '12.50 EUR'],
    ['thousands in groups', 1_234_567_890_000n, 'EUR', '1,234,567.89 EUR'],
    ['as many decimals as the amount needs', 12_345_678n, 'EUR', '12.345678 EUR'],
    ['no decimals for yen', 1_500_000_000n, 'JPY', '1,500 JPY'],
    ['decimals of yen only where there are some', 1_500_000n, 'JPY', '1.5 JPY'],
    ['three decimals for dinars', 1_500_000n, 'KWD', '1.500 KWD'],
    ['a minus before it all', -500_000n, 'EUR', '-0.50 EUR'],
    ['zero', 0n, 'EUR', '0.00 EUR'],
    ['no currency when none is known', 1_000_000n, undefined, '1.00'],
    ['two decimals for a currency that does not exist', 1_000_000n, 'ZZZ', '1.00 ZZZ'],
    ['the largest amount', MAX, 'EUR', '9,223,372,036,854.775807 EUR'],
    ['the smallest amount', MIN, 'EUR', '-9,223,372,036,854.775808 EUR'],
  ])('has %s', (_, amount, currency, text) => {
    expect(formatMoney(micros(amount), currency)).toBe(text);
  });

  it.each([
    ['down below the half', 1_234_999n, 'EUR', '1.23 EUR'],
    ['up from the half', 1_235_000n, 'EUR', '1.24 EUR'],
    ['away from zero below it', -1_235_000n, 'EUR', '-1.24 EUR'],
    ['to whole yen', 1_500_000n, 'JPY', '2 JPY'],
    ['to a thousandth of a dinar', 1_234_500n, 'KWD', '1.235 KWD'],
    ['the largest amount beyond int64', MAX, 'EUR', '9,223,372,036,854.78 EUR'],
  ])('rounds a sum of costs %s', (_, amount, currency, text) => {
    expect(formatMoneyRounded(micros(amount), currency)).toBe(text);
  });

  it.each([
    ['euros', 60_000_000n, 51_000_000n, 'EUR', '60.00 to 51.00 EUR'],
    ['yen, which have no decimals', 13_000_000_000n, 11_999_000_000n, 'JPY', '13,000 to 11,999 JPY'],
    ['dinars, which have three', 60_000_000n, 51_105_000n, 'KWD', '60.000 to 51.105 KWD'],
    ['an unknown currency', 60_000_000n, 51_000_000n, undefined, '60.00 to 51.00'],
  ])('shows both ends of a change with the decimals of %s', (_, from, to, currency, text) => {
    expect(formatMoneyChange(from, to, currency)).toBe(text);
  });

  it('reads back as the same amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), (amount) => {
        expect(parseAmount(formatMoney(micros(amount), undefined).replaceAll(',', ''))).toBe(amount);
      }),
    );
  });
});

const KNOWN_TO_THE_RUNTIME = Intl.supportedValuesOf('currency');

function decimalsOfTheRuntime(currency: string): number | undefined {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
}

/** Withdrawn codes, or ones without a minor unit, that some version of the runtime may list. */
const WITHOUT_UNIT = ['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'XDR', 'XSU', 'XUA', 'ZWL'];
/** CLDR writes them without decimals; the standard gives them two, and one of them three. */
const WRITTEN_WITHOUT_DECIMALS = 'AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR RSD SOS SYP TZS UZS YER'.split(
  ' ',
);

describe('the decimals of a currency', () => {
  it.each([
    [0, ['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF']],
    [0, ['XOF', 'XPF']],
    [2, ['EUR', 'USD', 'GBP', 'CHF', 'HUF', 'IDR', 'COP', 'MGA', 'MRU', 'XCG', 'ZWG', 'VED']],
    [3, ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']],
    [4, ['CLF', 'UYW']],
  ])('are %s for %j', (decimals, codes) => {
    for (const code of codes) expect([code, CURRENCY_DECIMALS.get(code)]).toEqual([code, decimals]);
  });

  it('are listed for 165 codes of three capitals', () => {
    expect(CURRENCY_DECIMALS.size).toBe(165);
    expect([...CURRENCY_DECIMALS.keys()].filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
  });

  it.each(WITHOUT_UNIT)('are unknown for %s, which is withdrawn or has no minor unit', (code) => {
    expect(smallestUnit(code)).toBeUndefined();
  });

  it('match the runtime, except for named differences', () => {
    const different = KNOWN_TO_THE_RUNTIME.filter(
      (code) => CURRENCY_DECIMALS.get(code) !== decimalsOfTheRuntime(code),
    ).filter((code) => !WITHOUT_UNIT.includes(code));
    expect(different.filter((code) => !WRITTEN_WITHOUT_DECIMALS.includes(code))).toEqual([]);
    expect(different.map(decimalsOfTheRuntime).filter((decimals) => decimals !== 0)).toEqual([]);
  });

  it('make the smallest unit and the text of an amount agree', () => {
    expect(smallestUnit('CLF')).toBe(100n);
    expect(formatMoney(micros(1_000_000n), 'CLF')).toBe('1.0000 CLF');
    expect(smallestUnit('HUF')).toBe(10_000n);
    expect(formatMoney(micros(1_500_000n), 'HUF')).toBe('1.50 HUF');
    expect(smallestUnit('IQD')).toBe(1_000n);
    expect(formatMoney(micros(1_500_000n), 'BGN')).toBe('1.50 BGN');
  });
});

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
