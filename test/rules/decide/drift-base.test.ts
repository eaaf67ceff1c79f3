import { expect, it } from 'vitest';
import type { PastChange } from '../../../src/domain/budget-change.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { driftBase } from '../../../src/language/rules/decide/guard.ts';
import { money, past } from './guard-fixtures.ts';

/** Such as '2026-11-17 rule 80-70'. */
function changesOf(text: string): PastChange[] {
  const changes = text.matchAll(/(\S+) (rule|undo|foreign) (\d+)-(\d+)/g);
  return Array.from(changes, ([, day = '', by, from = '', to = '']) => past(day, by as PastChange['by'], from, to));
}

it.each([
  ['the amount itself without a change', '2026-11-20', 30, '', '40'],
  ['what it was before the only change', '2026-11-20', 30, '2026-11-20 rule 50-40', '50'],
  [
    'what it was before the oldest of the days, of which today is the last',
    '2026-11-20',
    3,
    '2026-11-17 rule 80-70, 2026-11-18 rule 70-60, 2026-11-19 rule 60-40',
    '70',
  ],
  ['the amount itself when all changes are older', '2026-11-20', 3, '2026-11-17 rule 80-40', '40'],
  [
    'what it was before a change that a person took back',
    '2026-11-20',
    30,
    '2026-11-10 rule 40-30, 2026-11-11 undo 30-40',
    '40',
  ],
  ['what somebody else set it to', '2026-11-20', 30, '2026-11-01 rule 90-80, 2026-11-10 foreign 80-40', '40'],
  [
    'what it was before the first change after somebody else set it',
    '2026-11-20',
    30,
    '2026-11-01 rule 90-80, 2026-11-05 foreign 80-60, 2026-11-10 rule 62-40',
    '62',
  ],
  [
    'what the last of several others set it to',
    '2026-11-20',
    30,
    '2026-11-05 foreign 80-60, 2026-11-06 rule 60-55, 2026-11-07 foreign 55-50, 2026-11-10 rule 50-40',
    '50',
  ],
  [
    'what it was within the days where somebody else set it before them',
    '2026-11-20',
    5,
    '2026-11-05 foreign 80-60, 2026-11-10 rule 60-50, 2026-11-18 rule 50-40',
    '50',
  ],
  [
    'on the same day the order of the changes',
    '2026-11-20',
    30,
    '2026-11-18 foreign 80-60, 2026-11-18 undo 60-40',
    '60',
  ],
  ['over the end of a month', '2026-12-01', 2, '2026-11-30 rule 50-40', '50'],
  ['over the 29th of February', '2028-03-01', 3, '2028-02-28 rule 50-40', '50'],
  ['without the 29th of February', '2026-03-01', 3, '2026-02-26 rule 50-40', '40'],
])('drift is measured from %s', (_, today, days, changes, base) => {
  expect(driftBase(changesOf(changes), money('40'), civilDate(today), days)).toBe(money(base));
});
