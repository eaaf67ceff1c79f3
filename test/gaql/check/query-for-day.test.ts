import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import {
  CALENDAR_NAMES,
  dayOf,
  distanceOf,
  isCalendarName,
  resolveWindow,
} from '../../../src/gaql/check/date-window.ts';
import { queryForDay } from '../../../src/gaql/check/query-for-range.ts';
import { check } from '../findings.ts';

const S = 'SELECT campaign.id FROM campaign WHERE';

function onDay(condition: string, today: string) {
  const { query, diagnostics } = check(`${S} ${condition}`);
  expect(diagnostics).toEqual([]);
  if (!query?.window) throw new Error('No window.');
  const days = resolveWindow(query.window, civilDate(today));
  return { sent: queryForDay(query, civilDate(today)).slice(S.length + 1), days: days && [days.from, days.to] };
}

describe('days of the account’s calendar', () => {
  it.each([
    [':today', '2026-06-17', '2026-06-17'],
    [':today-7', '2026-03-01', '2026-02-22'],
    [':today-1', '2024-03-01', '2024-02-29'],
    [':today+1', '2026-12-31', '2027-01-01'],
    [':today-366', '2025-02-28', '2024-02-28'],
    [':yesterday', '2026-01-01', '2025-12-31'],
    [':yesterday-1', '2026-03-01', '2026-02-27'],
    [':week_start', '2026-06-15', '2026-06-15'],
    [':week_start', '2026-06-21', '2026-06-15'],
    [':week_start', '2026-01-01', '2025-12-29'],
    [':week_start-7', '2026-06-17', '2026-06-08'],
    [':month_start', '2026-06-01', '2026-06-01'],
    [':month_start', '2024-02-29', '2024-02-01'],
    [':month_start-1', '2024-03-31', '2024-02-29'],
    [':quarter_start', '2026-01-01', '2026-01-01'],
    [':quarter_start', '2026-03-31', '2026-01-01'],
    [':quarter_start', '2026-12-31', '2026-10-01'],
    [':quarter_start-1', '2026-05-05', '2026-03-31'],
    [':year_start', '2024-12-31', '2024-01-01'],
    [':year_start-1', '2026-01-01', '2025-12-31'],
  ])('%s on %s is %s', (written, today, day) => {
    expect(onDay(`segments.date = ${written}`, today)).toEqual({ sent: `segments.date = '${day}'`, days: [day, day] });
  });

  it.each([
    [
      'BETWEEN',
      'segments.date BETWEEN :month_start AND :yesterday',
      '2026-06-17',
      "segments.date BETWEEN '2026-06-01' AND '2026-06-16'",
      ['2026-06-01', '2026-06-16'],
    ],
    [
      'BETWEEN, on the first, where no day is left',
      'segments.date BETWEEN :month_start AND :yesterday',
      '2026-06-01',
      "segments.date BETWEEN '2026-06-01' AND '2026-05-31'",
      undefined,
    ],
    [
      'IN',
      'segments.date IN (:today, :today-7)',
      '2026-06-17',
      "segments.date IN ('2026-06-17', '2026-06-10')",
      ['2026-06-10', '2026-06-17'],
    ],
    [
      'IN months',
      'segments.month IN (:month_start, :year_start)',
      '2026-02-17',
      "segments.month IN ('2026-02-01', '2026-01-01')",
      ['2026-01-01', '2026-02-28'],
    ],
    [
      'two sides',
      'segments.date > :week_start AND segments.date <= :today',
      '2026-06-17',
      "segments.date > '2026-06-15' AND segments.date <= '2026-06-17'",
      ['2026-06-16', '2026-06-17'],
    ],
    [
      'a mixture',
      "segments.date >= '2026-06-10' AND segments.date < :today",
      '2026-06-17',
      "segments.date >= '2026-06-10' AND segments.date < '2026-06-17'",
      ['2026-06-10', '2026-06-16'],
    ],
    [
      'a period beside them',
      'segments.date DURING THIS_MONTH AND segments.date < :today',
      '2026-06-17',
      "segments.date DURING THIS_MONTH AND segments.date < '2026-06-17'",
      ['2026-06-01', '2026-06-16'],
    ],
    [
      'other conditions stay',
      'segments.date = :today AND campaign.name IS NOT NULL AND campaign.id IN (1)',
      '2026-06-17',
      "segments.date = '2026-06-17' AND campaign.name IS NOT NULL AND campaign.id IN (1)",
      ['2026-06-17', '2026-06-17'],
    ],
  ])('%s', (_, condition, today, sent, days) => {
    expect(onDay(condition, today)).toEqual({ sent, days });
  });

  it('are the same text on every day, so that a table is known by it', () => {
    expect(check(`${S} segments.date = :today-7`).query?.text).toBe(`${S} segments.date = :today-7`);
  });

  it('are told by their names, and no name of every object', () => {
    for (const name of CALENDAR_NAMES) expect(isCalendarName(name)).toBe(true);
    for (const name of ['toString', '__proto__', 'TODAY', '']) expect(isCalendarName(name)).toBe(false);
  });
});

describe('the distance of two days', () => {
  const today = civilDate('2026-06-17');
  const calendar = (name: (typeof CALENDAR_NAMES)[number], days = 0) => ({
    day: { kind: 'calendar', name, days } as const,
    plusDays: 0,
  });
  const fixed = (date: string) => ({ day: { kind: 'fixed', date: civilDate(date) } as const, plusDays: 0 });

  it.each([
    ['two fixed ones', fixed('2026-01-01'), fixed('2026-01-05'), 4],
    ['a moved end', fixed('2026-01-01'), { ...fixed('2026-01-05'), plusDays: -1 }, 3],
    ['two of one name', calendar('today', -7), calendar('today'), 7],
    ['yesterday is the day before today', calendar('yesterday'), calendar('today', -1), 0],
    ['two names', calendar('month_start'), calendar('today'), undefined],
    ['fixed and not', fixed('2026-01-01'), calendar('today'), undefined],
    ['not and fixed', calendar('today'), fixed('2026-01-01'), undefined],
    ['the end of a day is that day', calendar('today'), { ...calendar('today'), lastOf: 'day' as const }, 0],
    [
      'the end of a month depends',
      calendar('month_start'),
      { ...calendar('month_start'), lastOf: 'month' as const },
      undefined,
    ],
  ])('%s', (_, from, to, days) => {
    expect(distanceOf(from, to)).toBe(days);
    expect(dayOf(from.day, today) <= '9999').toBe(true);
  });
});
