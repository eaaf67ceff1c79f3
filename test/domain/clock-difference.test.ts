import { expect, it } from 'vitest';
import { aheadMs } from '../../src/domain/clock-difference.ts';

it.each([
  ['the other clock is read between question and answer', [100, 200, 150], 0],
  ['an answer takes an hour', [0, 3_600_000, 10], 0],
  ['the other clock is before the question', [100, 200, 40], 60],
  ['the other clock is after the answer', [100, 200, 500], -300],
] as const)('two clocks differ by at least this, if %s', (_, [asked, answered, other], expected) => {
  expect(aheadMs(asked, answered, other)).toBe(expected);
});
