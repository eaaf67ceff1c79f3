import { describe, expect, it } from 'vitest';
import { reachOf, windowReach } from '../../../src/rules/check/check-window.ts';
import type { Window } from '../../../src/rules/language/window.ts';
import { queryNamed } from '../rule-fixtures.ts';

const reachWhere = (condition: string) => {
  const { window } = queryNamed(
    'a',
    `SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE ${condition}`,
  );
  if (!window) throw new Error('The query names no days.');
  return reachOf(window);
};

describe('the days of a query', () => {
  it.each([
    ['segments.date DURING LAST_30_DAYS', 30, 1],
    ['segments.date DURING LAST_7_DAYS', 7, 1],
    ['segments.date DURING TODAY', 0, 0],
    ['segments.date DURING YESTERDAY', 1, 1],
    ['segments.date DURING THIS_MONTH', 30, 0],
    ['segments.date DURING LAST_MONTH', 61, 1],
    ['segments.date DURING LAST_WEEK_MON_SUN', 13, 1],
    ['segments.date BETWEEN :today-90 AND :yesterday', 90, 1],
    ['segments.date BETWEEN :today-60 AND :today-30', 60, 30],
    ['segments.date BETWEEN :month_start AND :yesterday', 30, 1],
    ['segments.date BETWEEN :year_start AND :yesterday', 365, 1],
    ["segments.date >= '2026-01-01' AND segments.date <= :yesterday", Number.POSITIVE_INFINITY, 1],
    ["segments.date >= '2040-01-01' AND segments.date <= :yesterday", Number.POSITIVE_INFINITY, 0],
  ])('of %s', (condition, oldest, newest) => {
    expect(reachWhere(condition)).toEqual({ kind: 'moving', oldest, newest });
  });

  it.each(["segments.date BETWEEN '2026-01-01' AND '2026-03-31'", "segments.date = '2026-01-01'"])(
    'are fixed: %s',
    (condition) => {
      expect(reachWhere(condition)).toEqual({ kind: 'fixed' });
    },
  );
});

describe('the days of a window', () => {
  const week: Window = { kind: 'days', days: 7 };
  it.each<[string, Window, Window | undefined, number, number, number]>([
    ['seven days', week, undefined, 0, 7, 1],
    ['seven complete days', week, undefined, 2, 9, 3],
    ['the days before seven', { kind: 'previous', days: 14 }, week, 0, 21, 8],
    ['the days before seven settled ones', { kind: 'previous', days: 14 }, week, 2, 23, 10],
    ['the days before the month', { kind: 'previous', days: 7 }, { kind: 'month_to_date' }, 0, 37, 31],
    ['the days before yesterday', { kind: 'previous', days: 7 }, { kind: 'yesterday' }, 0, 8, 2],
    ['the month', { kind: 'month_to_date' }, undefined, 0, 30, 1],
    ['yesterday', { kind: 'yesterday' }, undefined, 0, 1, 1],
    ['four weekdays', { kind: 'same_weekday', weeks: 4 }, undefined, 0, 29, 8],
    ['today', { kind: 'today' }, undefined, 0, 0, 0],
    ['today, whatever settles when', { kind: 'today' }, undefined, 3, 0, 0],
    ['the days before today', { kind: 'previous', days: 7 }, { kind: 'today' }, 0, 7, 1],
    ['four of the weekdays of today', { kind: 'same_weekday', weeks: 4 }, { kind: 'today' }, 0, 28, 7],
  ])('%s', (_, window, own, settleDays, oldest, newest) => {
    expect(windowReach(window, own, settleDays)).toEqual({ oldest, newest });
  });
});
