import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, rational } from '../../../src/domain/rational.ts';
import { deviationOf, meanOf, measureOf } from '../../../src/language/rules/evaluate/figures.ts';
import { row, type TableRow, verdictOf } from '../evaluated.ts';
import { checkText, ruleText } from '../rule-fixtures.ts';

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

const days = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 3, maxLength: 9 });

describe('the median and the median distance of single days', () => {
  it.each<[string, 'median' | 'mad', bigint[], bigint | undefined, bigint]>([
    ['a median of two days is unknown', 'median', [5n, 6n], undefined, 1n],
    ['a median distance of two days is unknown', 'mad', [5n, 6n], undefined, 1n],
    ['the middle of three', 'median', [9n, 1n, 4n], 4n, 1n],
    ['between the two in the middle', 'median', [9n, 1n, 4n, 5n], 9n, 2n],
    ['a day that was wrong by far moves it little', 'median', [50n, 51n, 52n, 5_000_000n], 103n, 2n],
    ['the distances of 1, 4 and 9 from 4 are 3, 0 and 5', 'mad', [9n, 1n, 4n], 3n, 1n],
    ['those of 1, 4, 5 and 9 from 4.5 are 3.5, 0.5, 0.5 and 4.5', 'mad', [9n, 1n, 4n, 5n], 2n, 1n],
    ['equal days have none', 'mad', [7n, 7n, 7n], 0n, 1n],
    ['and none counts against half of them', 'mad', [7n, 7n, 7n, 5_000_000n], 0n, 1n],
  ])('%s', (_, measure, values, n, d) => {
    const found = measureOf(measure, values, 1n);
    expect(found && compare(found, rational(n ?? 0n, d))).toBe(n === undefined ? undefined : 0);
  });

  it('has as many days on one side as on the other', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(1n, 1_000_000n), (values, divisor) => {
        const median = measureOf('median', values, divisor) ?? rational(-1n);
        const side = (order: -1 | 1) => values.filter((value) => compare(rational(value, divisor), median) === order);
        expect(side(-1).length).toBeLessThanOrEqual(values.length / 2);
        expect(side(1).length).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });

  it('does not depend on the order of the days, and little on a single day', () => {
    fc.assert(
      fc.property(days, fc.bigInt({ min: 0n, max: 10n ** 18n }), (values, wrong) => {
        for (const measure of ['median', 'mad'] as const) {
          expect(measureOf(measure, values.toReversed(), 1n)).toEqual(measureOf(measure, values, 1n));
        }
        const sorted = values.toSorted((one, other) => (one < other ? -1 : 1));
        const moved = measureOf('median', [...sorted.slice(1), wrong], 1n) ?? rational(-1n);
        // One day that is wrong leaves the median between two days that were.
        expect(compare(moved, rational(sorted.at(-1) ?? 0n))).not.toBe(1);
        expect(compare(moved, rational(sorted[0] ?? 0n))).not.toBe(-1);
      }),
    );
  });
});

describe('median and mad in a rule', () => {
  const weeksBefore = (...clicks: number[]): TableRow[] =>
    clicks.map((count, week) =>
      row({ ago: 8 + 7 * week, clicks: BigInt(count), cost_micros: BigInt(count) * 500_000n }),
    );

  it.each<[string, string, TableRow[], string]>([
    ['a median of counts', 'median(clicks) same weekday over 4 weeks = 5.5', weeksBefore(4, 5, 6, 90), 'true'],
    ['a median of amounts', 'median(cost) same weekday over 4 weeks = 2.75', weeksBefore(4, 5, 6, 90), 'true'],
    ['a median distance of amounts', 'mad(cost same weekday over 3 weeks) = 0.50', weeksBefore(4, 5, 90), 'true'],
    ['capital letters', 'MAD(clicks) same weekday over 3 weeks = 1', weeksBefore(4, 5, 90), 'true'],
    ['three days of four are enough', 'median(clicks) same weekday over 4 weeks = 5', weeksBefore(4, 5, 6), 'true'],
    ['two are not', 'median(clicks) same weekday over 4 weeks >= 0', weeksBefore(4, 5), 'unknown'],
    [
      'a day without a value',
      'mad(clicks) same weekday over 4 weeks >= 0',
      [...weeksBefore(4, 5, 6), row({ ago: 29, clicks: null })],
      'unknown',
    ],
  ])('%s', (_, when, rows, truth) => {
    expect(verdictOf({ when, over: 'yesterday' }, [row(), ...rows]).truth).toBe(truth);
  });

  it('says why it is unknown', () => {
    const when = 'median(clicks) same weekday over 4 weeks > 3';
    const said = verdictOf({ when, over: 'yesterday' }, [row(), ...weeksBefore(4, 5)]).explain();
    expect(said).toContain('unknown: only 2 of 2026-10-22, 2026-10-29, 2026-11-05 and 2026-11-12 have rows');
  });

  it.each([
    ['median(clicks) > 3', 'A median needs the same weekday of several weeks.'],
    ['mad(clicks) over 7 days > 3', 'A median distance needs the same weekday of several weeks.'],
    [
      'median(clicks) same weekday over 2 weeks > 3',
      'A median needs 3 days, but the same weekday over 2 weeks gives 2.',
    ],
    [
      'mad(clicks) same weekday over 1 weeks > 3',
      'A median distance needs 3 days, but the same weekday over 1 week gives 1.',
    ],
    ['median(cost / clicks) same weekday over 4 weeks > 3', 'Found a computed value in median, expected one metric.'],
    [
      'median(campaign_name) same weekday over 4 weeks > 3',
      'Found "campaign_name" in median, expected a metric that can be summed, such as clicks.',
    ],
  ])('%s is refused', (when, message) => {
    expect(checkText(ruleText({ when })).diagnostics.map((one) => one.message)).toEqual([message]);
  });

  it('suggests similar names', () => {
    const [found] = checkText(ruleText({ when: 'medain(clicks) same weekday over 4 weeks > 3' })).diagnostics;
    expect(found?.hint).toBe('Did you mean mean or median?');
  });
});
