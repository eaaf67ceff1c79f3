import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, weekdayOf } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import {
  PERIOD_NAMES,
  type PeriodName,
  periodNamed,
  resolveWindow,
} from '../../../src/language/gaql/check/date-window.ts';

const FRIDAY = '2026-11-20';
const SUNDAY = '2026-11-22';
const MONDAY = '2026-11-23';
const SATURDAY = '2026-11-21';
const MONTH_END = '2026-03-31';
const MONTH_START = '2026-03-01';
const NEW_YEAR = '2026-01-01';
const LEAP_DAY = '2024-02-29';

describe('the days of a period', () => {
  it.each<[PeriodName, string, string, string]>([
    ['TODAY', FRIDAY, '2026-11-20', '2026-11-20'],
    ['YESTERDAY', FRIDAY, '2026-11-19', '2026-11-19'],
    ['YESTERDAY', NEW_YEAR, '2025-12-31', '2025-12-31'],
    ['YESTERDAY', MONTH_START, '2026-02-28', '2026-02-28'],
    ['LAST_7_DAYS', FRIDAY, '2026-11-13', '2026-11-19'],
    ['LAST_14_DAYS', FRIDAY, '2026-11-06', '2026-11-19'],
    ['LAST_30_DAYS', FRIDAY, '2026-10-21', '2026-11-19'],
    ['LAST_30_DAYS', MONTH_START, '2026-01-30', '2026-02-28'],
    ['LAST_30_DAYS', LEAP_DAY, '2024-01-30', '2024-02-28'],
    ['LAST_BUSINESS_WEEK', FRIDAY, '2026-11-09', '2026-11-13'],
    ['LAST_BUSINESS_WEEK', SATURDAY, '2026-11-09', '2026-11-13'],
    ['LAST_BUSINESS_WEEK', SUNDAY, '2026-11-09', '2026-11-13'],
    ['LAST_BUSINESS_WEEK', MONDAY, '2026-11-16', '2026-11-20'],
    ['LAST_WEEK_MON_SUN', SUNDAY, '2026-11-09', '2026-11-15'],
    ['LAST_WEEK_MON_SUN', MONDAY, '2026-11-16', '2026-11-22'],
    ['LAST_WEEK_MON_SUN', NEW_YEAR, '2025-12-22', '2025-12-28'],
    ['LAST_WEEK_SUN_SAT', SATURDAY, '2026-11-08', '2026-11-14'],
    ['LAST_WEEK_SUN_SAT', SUNDAY, '2026-11-15', '2026-11-21'],
    ['LAST_WEEK_SUN_SAT', MONDAY, '2026-11-15', '2026-11-21'],
    ['THIS_WEEK_MON_TODAY', SUNDAY, '2026-11-16', '2026-11-22'],
    ['THIS_WEEK_MON_TODAY', MONDAY, '2026-11-23', '2026-11-23'],
    ['THIS_WEEK_SUN_TODAY', SATURDAY, '2026-11-15', '2026-11-21'],
    ['THIS_WEEK_SUN_TODAY', SUNDAY, '2026-11-22', '2026-11-22'],
    ['THIS_MONTH', MONTH_START, '2026-03-01', '2026-03-01'],
    ['THIS_MONTH', MONTH_END, '2026-03-01', '2026-03-31'],
    ['LAST_MONTH', MONTH_END, '2026-02-01', '2026-02-28'],
    ['LAST_MONTH', NEW_YEAR, '2025-12-01', '2025-12-31'],
    ['LAST_MONTH', '2024-03-15', '2024-02-01', '2024-02-29'],
  ])('B13: %s on %s is %s to %s', (period, today, from, to) => {
    expect(resolveWindow({ kind: 'period', period }, civilDate(today))).toEqual({ from, to });
  });

  it('B13: knows exactly the periods of the service', () => {
    expect([...PERIOD_NAMES].sort()).toEqual([
      ...'LAST_14_DAYS LAST_30_DAYS LAST_7_DAYS LAST_BUSINESS_WEEK LAST_MONTH LAST_WEEK_MON_SUN'.split(' '),
      ...'LAST_WEEK_SUN_SAT THIS_MONTH THIS_WEEK_MON_TODAY THIS_WEEK_SUN_TODAY TODAY YESTERDAY'.split(' '),
    ]);
    expect(periodNamed('last_7_days')).toBe('LAST_7_DAYS');
    for (const text of ['LAST_8_DAYS', '', 'constructor', '__proto__']) expect(periodNamed(text)).toBeUndefined();
  });

  it('is never empty, ends today at the latest and keeps its weekdays on every day', () => {
    const today = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays(civilDate('1990-01-01'), days));
    fc.assert(
      fc.property(today, fc.constantFrom(...PERIOD_NAMES), (day, period) => {
        const { from, to } = resolveWindow({ kind: 'period', period }, day) ?? { from: '', to: '' };
        expect(from !== '' && from <= to && to <= day).toBe(true);
        if (period.includes('MON_') || period === 'LAST_BUSINESS_WEEK') expect(weekdayOf(civilDate(from))).toBe(1);
        if (period.includes('WEEK_SUN_')) expect(weekdayOf(civilDate(from))).toBe(7);
        if (period.startsWith('LAST_')) expect(to < day).toBe(true);
      }),
    );
  });
});
