import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../src/domain/errors.ts';
import {
  add,
  compare,
  divide,
  exactText,
  formatRational,
  multiply,
  parseDecimal,
  parseExact,
  type Rational,
  rational,
  roundHalfAway,
  subtract,
} from '../../src/domain/rational.ts';

const part = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
const fraction = fc.tuple(
  part,
  part.filter((d) => d !== 0n),
);
const made = ([n, d]: readonly [bigint, bigint]): Rational => rational(n, d);

describe('exact fractions', () => {
  it('are in lowest terms with a positive denominator', () => {
    fc.assert(
      fc.property(fraction, ([n, d]) => {
        const value = rational(n, d);
        expect(value.d > 0n).toBe(true);
        expect(value.n * d).toBe(n * value.d);
        expect(rational(value.n, value.d)).toEqual(value);
      }),
    );
    expect(rational(6n, -4n)).toEqual({ n: -3n, d: 2n });
    expect(rational(0n, -7n)).toEqual({ n: 0n, d: 1n });
  });

  it('refuse the denominator zero', () => {
    expect(() => rational(1n, 0n)).toThrow(new InvariantError('The denominator of a fraction is zero.'));
  });

  it('add, subtract, multiply and divide as cross-multiplied integers do', () => {
    fc.assert(
      fc.property(fraction, fraction, ([an, ad], [bn, bd]) => {
        const a = made([an, ad]);
        const b = made([bn, bd]);
        const equals = (value: Rational | undefined, n: bigint, d: bigint) =>
          value !== undefined && value.n * d === n * value.d;
        expect(equals(add(a, b), an * bd + bn * ad, ad * bd)).toBe(true);
        expect(equals(subtract(a, b), an * bd - bn * ad, ad * bd)).toBe(true);
        expect(equals(multiply(a, b), an * bn, ad * bd)).toBe(true);
        if (bn !== 0n) expect(equals(divide(a, b), an * bd, ad * bn)).toBe(true);
      }),
    );
  });

  it('have no quotient by zero', () => {
    expect(divide(rational(1n), rational(0n))).toBeUndefined();
  });

  it('compare exactly, even if almost equal', () => {
    fc.assert(
      fc.property(fraction, fraction, ([an, ad], [bn, bd]) => {
        const difference = (an * bd - bn * ad) * (ad < 0n ? -1n : 1n) * (bd < 0n ? -1n : 1n);
        const expected = difference < 0n ? -1 : difference > 0n ? 1 : 0;
        expect(compare(made([an, ad]), made([bn, bd]))).toBe(expected);
      }),
    );
    expect(compare(rational(10n ** 40n + 1n, 10n ** 40n), rational(1n))).toBe(1);
    expect(compare(rational(1n, 3n), rational(2n, 6n))).toBe(0);
  });
});

describe('reading a decimal', () => {
  it.each([
    ['a whole number', '42', 42n, 1n],
    ['two decimals', '2.50', 5n, 2n],
    ['a negative amount', '-0.125', -1n, 8n],
    ['zero with a sign', '-0', 0n, 1n],
    ['leading zeros', '007.10', 71n, 10n],
    ['one tenth, which no float holds', '0.1', 1n, 10n],
    ['thirty digits on both sides', `${'9'.repeat(30)}.${'9'.repeat(30)}`, BigInt('9'.repeat(60)), 10n ** 30n],
  ])('takes %s', (_, text, n, d) => {
    expect(parseDecimal(text)).toEqual({ n, d });
  });

  it.each(['', '-', '.', '.5', '5.', '+5', '1e5', '1,000', ' 5', '5 ', '0x10', '٣', '--5', '9'.repeat(31), '1.2.3'])(
    'refuses %j',
    (text) => {
      expect(parseDecimal(text)).toBeUndefined();
    },
  );
});

describe('rounding to a whole number', () => {
  it.each([
    [1n, 2n, 1n],
    [-1n, 2n, -1n],
    [5n, 2n, 3n],
    [-5n, 2n, -3n],
    [49n, 100n, 0n],
    [-49n, 100n, 0n],
    [2n, 3n, 1n],
    [-2n, 3n, -1n],
    [0n, 7n, 0n],
    [7n, 1n, 7n],
    [-7n, 1n, -7n],
  ])('goes to the nearest, halves away from zero: %i/%i', (n, d, whole) => {
    expect(roundHalfAway({ n, d })).toBe(whole);
  });
});

describe('writing a decimal', () => {
  it.each([
    ['drops trailing zeros', rational(5n, 2n), 2, '2.5'],
    ['rounds half away from zero', rational(1n, 8n), 2, '0.13'],
    ['rounds a negative half away from zero', rational(-1n, 8n), 2, '-0.13'],
    ['rounds a third down', rational(1n, 3n), 2, '0.33'],
    ['rounds up into the next whole', rational(1999n, 1000n), 2, '2'],
    ['writes no minus before a rounded zero', rational(-1n, 1000n), 2, '0'],
    ['writes whole numbers without a point', rational(12n), 0, '12'],
    ['rounds half to whole numbers', rational(5n, 2n), 0, '3'],
    ['keeps zeros inside', rational(101n, 100n), 2, '1.01'],
    ['keeps the zeros of a whole number', rational(100n), 0, '100'],
    ['writes zero', rational(0n), 2, '0'],
  ])('%s', (_, value, decimals, text) => {
    expect(formatRational(value, decimals)).toBe(text);
  });

  it('reads back its output within half of the last place', () => {
    fc.assert(
      fc.property(fraction, fc.integer({ min: 0, max: 12 }), (parts, decimals) => {
        const value = made(parts);
        const back = parseDecimal(formatRational(value, decimals));
        if (back === undefined) throw new Error('no decimal');
        const off = subtract(back, value);
        const half = rational(1n, 2n * 10n ** BigInt(decimals));
        expect(compare(off.n < 0n ? { n: -off.n, d: off.d } : off, half)).not.toBe(1);
      }),
    );
  });
});

describe('long arithmetic', () => {
  it('stays exact and small: harmonic sums of a thousand terms', () => {
    let sum = rational(0n);
    for (let d = 1n; d <= 1_000n; d += 1n) sum = add(sum, rational(1n, d));
    for (let d = 1n; d <= 1_000n; d += 1n) sum = subtract(sum, rational(1n, d));
    expect(compare(sum, rational(0n))).toBe(0);
    expect(sum.d < 2n ** 1500n).toBe(true);
  });

  it('stays bounded for a thousand operations with the same number', () => {
    let value = rational(1n);
    for (let step = 0; step < 1_000; step += 1) {
      value = divide(multiply(value, rational(355n, 113n)), rational(355n, 113n)) ?? rational(0n);
    }
    expect(compare(value, rational(1n))).toBe(0);
    expect(value.d < 2n ** 256n).toBe(true);
  });

  it('divides by negative fractions with a positive denominator', () => {
    expect(divide(rational(1n), rational(-2n))?.d).toBe(2n);
  });

  it.each([
    [rational(-5n, 2n), '-2.5'],
    [{ n: -1n, d: 20n }, '-0.05'],
    [{ n: 824n, d: 20_000n }, '0.0412'],
    [rational(1n, 10n ** 12n), '0.000000000001'],
    [rational(1n, 10n ** 13n), '1/10000000000000'],
    [{ n: -2n, d: 6n }, '-1/3'],
    [rational(0n), '0'],
  ])('writes an exact text: %s', (value, text) => {
    expect(exactText(value)).toBe(text);
  });

  it('reads the same value from its exact text', () => {
    fc.assert(
      fc.property(fraction.map(made), (value) => {
        expect(parseExact(exactText(value))).toEqual(value);
      }),
    );
  });
});
