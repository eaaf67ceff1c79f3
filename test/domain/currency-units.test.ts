import { describe, expect, it } from 'vitest';
import { CURRENCY_DECIMALS, formatMoney, micros, smallestUnit } from '../../src/domain/micros.ts';

const KNOWN_TO_THE_RUNTIME = Intl.supportedValuesOf('currency');

function decimalsOfTheRuntime(currency: string): number | undefined {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
}

/** Withdrawn codes, or ones without a minor unit, that some version of the runtime may list. */
const WITHOUT_UNIT = ['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'XDR', 'XSU', 'XUA', 'ZWL'];
/** CLDR writes them without decimals; the standard gives them two, and one of them three. */
const WRITTEN_WITHOUT_DECIMALS = [
  'AFN',
  'ALL',
  'COP',
  'HUF',
  'IDR',
  'IQD',
  'IRR',
  'KPW',
  'LAK',
  'LBP',
  'MGA',
  'MMK',
  'PKR',
  'RSD',
  'SOS',
  'SYP',
  'TZS',
  'UZS',
  'YER',
];

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

  it.each(WITHOUT_UNIT)('are not known for %s, which is withdrawn or has none', (code) => {
    expect(smallestUnit(code)).toBeUndefined();
  });

  it('are what the runtime has but for named differences', () => {
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
