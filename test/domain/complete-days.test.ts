import { describe, expect, it } from 'vitest';
import { allCompleteUntil, completeUntil, type DayState } from '../../src/domain/complete-days.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';

const november = (from: number, to: number, state: DayState) => ({
  from: civilDate(`2026-11-${String(from).padStart(2, '0')}`),
  to: civilDate(`2026-11-${String(to).padStart(2, '0')}`),
  state,
});

describe('the day until which days are complete', () => {
  it.each<[sentence: string, days: readonly ReturnType<typeof november>[], until: string | undefined]>([
    ['is the last day if no day is missing', [november(1, 20, 'settled')], '2026-11-20'],
    [
      'is the day before a gap, even with complete days after it',
      [november(1, 9, 'settled'), november(10, 10, 'missing'), november(11, 20, 'settled')],
      '2026-11-09',
    ],
    [
      'is the day before a provisional day',
      [november(1, 19, 'settled'), november(20, 20, 'provisional')],
      '2026-11-19',
    ],
    [
      'does not exist if the first day is provisional',
      [november(1, 1, 'provisional'), november(2, 3, 'settled')],
      undefined,
    ],
    [
      'ignores days read earlier by an older version of the query',
      [november(1, 5, 'other_question'), november(6, 20, 'settled')],
      '2026-11-20',
    ],
    [
      'ends before days read by an older version of the query',
      [november(1, 5, 'settled'), november(6, 8, 'other_question'), november(9, 20, 'settled')],
      '2026-11-05',
    ],
    ['does not exist if only an older version of the query read days', [november(1, 5, 'other_question')], undefined],
    ['does not exist without days', [], undefined],
  ])('%s', (_, days, until) => {
    expect(completeUntil(days)).toBe(until);
  });

  it('is the earliest of several accounts, and does not exist if one account has none', () => {
    const early = civilDate('2026-11-09');
    const late = civilDate('2026-11-20');
    expect([allCompleteUntil([late, early]), allCompleteUntil([late, undefined]), allCompleteUntil([])]).toEqual([
      early,
      undefined,
      undefined,
    ]);
  });
});
