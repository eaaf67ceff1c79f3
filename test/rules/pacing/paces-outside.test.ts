import { expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { pacesOutside } from '../../../src/language/rules/pacing/pace-words.ts';
import { ruleOf } from '../rule-fixtures.ts';
import { PACED } from './paced.ts';

const DAYS = { from: civilDate('2026-01-10'), to: civilDate('2026-01-20') };

it.each([
  ['starts after them', '{ starts: 2026-01-21 }', 'starts pacing on 2026-01-21, so it does nothing on these days'],
  ['starts on the last of them', '{ starts: 2026-01-20 }', undefined],
  ['ended before them', '{ ends: 2026-01-09 }', 'paced until 2026-01-09, so it does nothing on these days'],
  ['ends on the first of them', '{ ends: 2026-01-10 }', undefined],
  ['has neither', undefined, undefined],
])('describes days for a rule that %s', (_, pace, expected) => {
  expect(pacesOutside(ruleOf({ ...PACED, pace }), DAYS)).toBe(expected);
});

it('says nothing for a rule that does not pace', () => {
  expect(pacesOutside(ruleOf({ change: 'decrease budget by 10%' }), DAYS)).toBeUndefined();
});
