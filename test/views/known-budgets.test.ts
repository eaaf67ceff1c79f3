import { expect, it } from 'vitest';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { amountInForce, usedShare } from '../../src/views/known-budgets.ts';

const DAYS = ['2026-11-01', '2026-11-02', '2026-11-03'].map(civilDate);
const step = (day: string, from: bigint, to: bigint) => ({ accountDay: civilDate(day), from, to });

it.each([
  ['no change is known: today’s amount', [], 10n, 30n],
  ['a cut after the range: what it was before', [step('2026-11-04', 80n, 10n)], 10n, 240n],
  ['a cut before the range', [step('2026-10-31', 80n, 10n)], 10n, 30n],
  ['a cut on a day: the highest of this day', [step('2026-11-02', 80n, 10n)], 10n, 80n + 80n + 10n],
  ['two changes of one day', [step('2026-11-02', 20n, 50n), step('2026-11-02', 50n, 10n)], 10n, 20n + 50n + 10n],
  ['a budget that is gone', [step('2026-11-02', 20n, 40n)], undefined, 20n + 40n + 40n],
  ['nothing at all', [], undefined, undefined],
])('the amount in force on three days, with %s', (_, steps, now, expected) => {
  expect(amountInForce(DAYS, steps, now)).toBe(expected);
});

it('30 days of 100.00, cut to 25.00 afterwards, are used to 91 percent, not to 365', () => {
  const days = Array.from({ length: 30 }, (_, day) => civilDate(`2026-11-${String(day + 1).padStart(2, '0')}`));
  const available = amountInForce(days, [step('2026-12-01', 100_000_000n, 25_000_000n)], 25_000_000n);
  expect(usedShare({ spend: 2_737_500_000n, available })).toBe(0.9125);
  expect(usedShare({ spend: 0n, available: amountInForce([], [], 10n) })).toBeUndefined();
});
