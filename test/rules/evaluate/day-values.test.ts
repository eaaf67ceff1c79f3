import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, rational } from '../../../src/domain/rational.ts';
import { deviationOf, meanOf } from '../../../src/rules/evaluate/figures.ts';

describe('the deviation of single days', () => {
  it.each<[string, bigint[], bigint, bigint | undefined]>([
    ['is unknown of one day', [5n], 1n, undefined],
    ['is zero of equal days', [5n, 5n, 5n], 1n, 0n],
    ['of 1 and 2 is the root of a half, rounded down', [1n, 2n], 1n, 707_106n],
    ['of 2, 4, 4, 4, 5, 5, 7, 9 is 2.138089', [2n, 4n, 4n, 4n, 5n, 5n, 7n, 9n], 1n, 2_138_089n],
    ['of amounts is to the micro', [1_000_000n, 2_000_000n], 1_000_000n, 707_106n],
    [
      'of days far beyond int64 is exact',
      [0n, 2n * 10n ** 30n],
      1n,
      1_414_213_562_373_095_048_801_688_724_209_698_078n,
    ],
  ])('%s', (_, days, divisor, millionths) => {
    expect(deviationOf(days, divisor)?.n).toBe(millionths);
  });

  it('is the largest millionth whose square is not above the variance', () => {
    const days = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(days, fc.constantFrom(1n, 1_000_000n), (values, divisor) => {
        const found = deviationOf(values, divisor) ?? rational(-1n);
        const count = BigInt(values.length);
        const mean = meanOf(values, 1n) ?? rational(0n);
        // (n·x − Σx)² summed is n² times the sum of squared distances.
        const squares = values.reduce((sum, value) => sum + (value * count - mean.n) ** 2n, 0n);
        const variance = rational(squares, count * count * (count - 1n) * divisor * divisor);
        const square = (root: bigint) => rational(root * root, 10n ** 12n);
        expect(compare(square(found.n), variance)).not.toBe(1);
        expect(compare(square(found.n + 1n), variance)).toBe(1);
      }),
    );
  });
});
