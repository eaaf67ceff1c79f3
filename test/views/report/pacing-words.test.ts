import { expect, it } from 'vitest';
import { rational } from '../../../src/domain/rational.ts';
import { knownSum, worstCases } from '../../../src/views/report/pacing-words.ts';
import { reading, target } from './pacing-targets.ts';

it.each(['unknown', 'not_started', 'ended'] as const)('a target with state %s has no totals', (state) => {
  expect(knownSum(reading({ state }), rational(5n))).toBeUndefined();
  expect(knownSum(reading({ state: 'high' }), rational(5n))).toBe(5n);
});

it('the worst case counts only budgets that are paced now', () => {
  const ended = target({ reading: reading({ state: 'ended' }) });
  expect(worstCases([ended], () => 'Shop')).toEqual([]);
  expect(worstCases([ended, target()], () => 'Shop')).toEqual(worstCases([target()], () => 'Shop'));
  expect(worstCases([target()], () => 'Shop')).toHaveLength(1);
});
