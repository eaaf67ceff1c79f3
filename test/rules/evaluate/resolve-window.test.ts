import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type CivilDate, civilDateAt, daysBetween, weekdayOf } from '../../../src/domain/civil-date.ts';
import { InvariantError } from '../../../src/domain/errors.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { lastSettledDay } from '../../../src/engine/read/day-state.ts';
import {
  describeDays,
  listDays,
  resolveWindow,
  sameWeekdays,
} from '../../../src/language/rules/evaluate/resolve-window.ts';
import { type Window, windowText } from '../../../src/language/rules/language/window.ts';
import { byEffort } from '../../support/effort.ts';

const on = (today: string, lastSettled: string, readToday = false) => ({
  today: civilDate(today),
  lastSettled: civilDate(lastSettled),
  readToday,
});
const WEEK: Window = { kind: 'days', days: 7 };
const PREVIOUS: Window = { kind: 'previous', days: 7 };
const MONTH: Window = { kind: 'month_to_date' };
const YESTERDAY: Window = { kind: 'yesterday' };
const NOW: Window = { kind: 'today' };
const WEEKDAYS: Window = { kind: 'same_weekday', weeks: 3 };

describe('the days of a window', () => {
  const now = on('2026-11-20', '2026-11-19');
  it.each<[string, Window, Window | undefined, ReturnType<typeof on>, string]>([
    ['the last complete days', WEEK, undefined, now, '2026-11-13 to 2026-11-19'],
    ['one day', { kind: 'days', days: 1 }, undefined, now, '2026-11-19'],
    [
      'days before 03:00 end a day earlier',
      WEEK,
      undefined,
      on('2026-11-20', '2026-11-18'),
      '2026-11-12 to 2026-11-18',
    ],
    ['the days before the rule’s own', PREVIOUS, WEEK, now, '2026-11-06 to 2026-11-12'],
    ['the days before the month', PREVIOUS, MONTH, now, '2026-10-25 to 2026-10-31'],
    ['the days before yesterday', PREVIOUS, YESTERDAY, now, '2026-11-12 to 2026-11-18'],
    [
      'the days before a month without a day',
      PREVIOUS,
      MONTH,
      on('2026-11-01', '2026-10-31'),
      'none, no day since 2026-11-01 is complete yet',
    ],
    ['the month so far', MONTH, undefined, now, '2026-11-01 to 2026-11-19'],
    ['the month on its second day', MONTH, undefined, on('2026-11-02', '2026-11-01'), '2026-11-01'],
    [
      'the month on its first day',
      MONTH,
      undefined,
      on('2026-11-01', '2026-10-31'),
      'none, no day since 2026-11-01 is complete yet',
    ],
    [
      'the month on its second day before 03:00',
      MONTH,
      undefined,
      on('2026-11-02', '2026-10-31'),
      'none, no day since 2026-11-01 is complete yet',
    ],
    ['yesterday', YESTERDAY, undefined, now, '2026-11-19'],
    ['yesterday over the turn of the year', YESTERDAY, undefined, on('2027-01-01', '2026-12-31'), '2026-12-31'],
    [
      'yesterday before 03:00',
      YESTERDAY,
      undefined,
      on('2026-11-20', '2026-11-18'),
      'none, 2026-11-19 is not complete yet',
    ],
    ['today as far as it was read', NOW, undefined, on('2026-11-20', '2026-11-19', true), '2026-11-20'],
    ['today before 03:00', NOW, undefined, on('2026-11-20', '2026-11-18', true), '2026-11-20'],
    ['today that was not read', NOW, undefined, now, 'none, 2026-11-20 has not been read yet'],
    ['the days before today', PREVIOUS, NOW, on('2026-11-20', '2026-11-19', true), '2026-11-13 to 2026-11-19'],
    ['the days before a today that was not read', PREVIOUS, NOW, now, 'none, 2026-11-20 has not been read yet'],
    ['today’s weekday in a rule over today', WEEKDAYS, NOW, now, '2026-10-30, 2026-11-06 and 2026-11-13'],
    ['yesterday’s weekday', WEEKDAYS, undefined, now, '2026-10-29, 2026-11-05 and 2026-11-12'],
    [
      'yesterday’s weekday before 03:00',
      WEEKDAYS,
      undefined,
      on('2026-11-20', '2026-11-18'),
      '2026-10-29, 2026-11-05 and 2026-11-12',
    ],
    [
      'a weekday that settles late',
      WEEKDAYS,
      undefined,
      on('2026-11-20', '2026-11-10'),
      'none, 2026-11-12 is not complete yet',
    ],
    ['a single weekday', { kind: 'same_weekday', weeks: 1 }, undefined, now, '2026-11-12'],
    [
      'over a leap day',
      { kind: 'days', days: 3 },
      undefined,
      on('2028-03-02', '2028-03-01'),
      '2028-02-28 to 2028-03-01',
    ],
    [
      'over the end of February',
      { kind: 'days', days: 3 },
      undefined,
      on('2027-03-02', '2027-03-01'),
      '2027-02-27 to 2027-03-01',
    ],
    [
      'weekdays over a leap day',
      { kind: 'same_weekday', weeks: 1 },
      undefined,
      on('2028-03-08', '2028-03-07'),
      '2028-02-29',
    ],
  ])('%s', (_, window, own, at, expected) => {
    expect(describeDays(resolveWindow(window, own, at))).toBe(expected);
  });

  it('throws for "previous" without a window of the rule', () => {
    expect(() => resolveWindow(PREVIOUS, undefined, now)).toThrow(InvariantError);
  });

  it('are named as written', () => {
    expect(
      [WEEK, PREVIOUS, MONTH, YESTERDAY, NOW, WEEKDAYS, { kind: 'days', days: 1 } as const].map(windowText),
    ).toEqual('7 days, previous 7 days, month to date, yesterday, today, same weekday over 3 weeks, 1 day'.split(', '));
  });
});

/** Zones with changes of the clock at midnight, half hours, and both ends of the date line. */
const ZONES = [
  ...'UTC Europe/Berlin America/New_York America/Sao_Paulo America/Havana Asia/Beirut Asia/Kolkata'.split(' '),
  ...'Australia/Lord_Howe Pacific/Kiritimati Pacific/Apia Etc/GMT+12 Africa/Cairo Asia/Kathmandu'.split(' '),
];
const HOUR_MS = 3_600_000;

describe.each(ZONES)('in %s, whatever the hour', (timeZone) => {
  // A prime number of hours passes through every hour of the day, and through four years with a leap day.
  const stepHours = byEffort({ quick: 353, thorough: 53 });
  const instants = Array.from(
    { length: Math.ceil(37_100 / stepHours) },
    (_, step) => Date.parse('2027-01-01T00:00:00Z') + step * stepHours * HOUR_MS,
  );
  const calendars = instants.map((nowMs) => ({
    today: civilDateAt(nowMs, timeZone),
    lastSettled: lastSettledDay(nowMs, { timeZone, closesAt: '03:00', settleDays: 0 }),
  }));

  it('windows have the number of days they name, all complete', () => {
    for (const at of calendars) {
      const days = listDays(resolveWindow(WEEK, undefined, at));
      expect(days).toHaveLength(7);
      expect(days.at(-1)).toBe(at.lastSettled);
      expect(daysBetween(at.lastSettled, at.today)).toBeGreaterThanOrEqual(1);
      expect(daysBetween(at.lastSettled, at.today)).toBeLessThanOrEqual(2);
    }
  });

  it('the previous days end where the own begin', () => {
    for (const at of calendars) {
      const previous = listDays(resolveWindow(PREVIOUS, WEEK, at));
      expect(previous).toHaveLength(7);
      expect(addDays(previous[6] ?? at.today, 1)).toBe(listDays(resolveWindow(WEEK, undefined, at))[0]);
    }
  });

  it('the month is the account’s own, and yesterday is today less one day', () => {
    for (const at of calendars) {
      const month = listDays(resolveWindow(MONTH, undefined, at));
      for (const day of month) expect(day.slice(0, 7)).toBe(at.today.slice(0, 7));
      expect(month).toHaveLength(Math.max(0, Number(at.today.slice(8)) - daysBetween(at.lastSettled, at.today)));
      const yesterday = listDays(resolveWindow(YESTERDAY, undefined, at));
      expect(yesterday).toEqual(at.lastSettled === addDays(at.today, -1) ? [at.lastSettled] : []);
    }
  });

  it('weekdays are yesterday’s', () => {
    for (const at of calendars) {
      const days = listDays(resolveWindow(WEEKDAYS, undefined, at));
      expect(days).toHaveLength(3);
      for (const day of days) expect(weekdayOf(day)).toBe(weekdayOf(addDays(at.today, -1)));
      expect(daysBetween(days[2] ?? at.today, at.today)).toBe(8);
    }
  });
});

const THURSDAY = civilDate('2026-11-19');
const days = (...dates: string[]): ReadonlySet<CivilDate> => new Set(dates.map(civilDate));
const always = () => true;

describe('the same weekdays', () => {
  it.each<[string, Parameters<typeof sameWeekdays>[2], string[]]>([
    ['are the last weeks, oldest first', {}, ['2026-10-29', '2026-11-05', '2026-11-12']],
    [
      'leave a holiday out, for an earlier week',
      { holidays: days('2026-11-05'), settled: always },
      ['2026-10-22', '2026-10-29', '2026-11-12'],
    ],
    [
      'are fewer where the earlier week is not there',
      { holidays: days('2026-11-05'), settled: () => false },
      ['2026-10-29', '2026-11-12'],
    ],
    [
      'pass over an earlier week that is not there for one that is',
      { holidays: days('2026-11-05'), settled: (day) => day !== '2026-10-22' },
      ['2026-10-15', '2026-10-29', '2026-11-12'],
    ],
    [
      'pass over a holiday among the earlier weeks, too',
      { holidays: days('2026-11-05', '2026-10-22'), settled: always },
      ['2026-10-15', '2026-10-29', '2026-11-12'],
    ],
    [
      'reach back twice as many weeks and no farther',
      { holidays: days('2026-11-12', '2026-11-05', '2026-10-29', '2026-10-22'), settled: always },
      ['2026-10-08', '2026-10-15'],
    ],
    [
      'mind no holiday on another weekday',
      { holidays: days('2026-11-04') },
      ['2026-10-29', '2026-11-05', '2026-11-12'],
    ],
  ])('%s', (_, known, expected) => {
    expect(sameWeekdays(3, THURSDAY, known)).toEqual(expected);
  });

  it('are never more than the weeks, no holidays, and of the weekday', () => {
    const places = fc.uniqueArray(fc.integer({ min: 1, max: 12 }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), places, places, (weeks, free, missing) => {
        const at = (week: number) => addDays(THURSDAY, -7 * week);
        const holidays = new Set(free.map(at));
        const absent = new Set(missing.map(at));
        const found = sameWeekdays(weeks, THURSDAY, { holidays, settled: (day) => !absent.has(day) });
        expect(found.length).toBeLessThanOrEqual(weeks);
        expect(found).toEqual([...new Set(found)].sort());
        expect(found.every((day) => !holidays.has(day) && daysBetween(day, THURSDAY) % 7 === 0)).toBe(true);
        // A day that a plan asks for and the table lacks holds the rule back: only the usual weeks are asked for unseen.
        const extra = found.filter((day) => daysBetween(day, THURSDAY) > 7 * weeks);
        expect(extra.every((day) => !absent.has(day))).toBe(true);
      }),
    );
  });
});
