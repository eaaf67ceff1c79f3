import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  addMonths,
  civilDateAt,
  daysBetween,
  instantText,
  isTimeZone,
  monthStart,
  startOfDayMs,
  weekdayOf,
} from '../../src/domain/civil-date.ts';
import { InvariantError } from '../../src/domain/errors.ts';
import { civilDate, parseCivilDate } from '../../src/domain/parse-civil-date.ts';

const HOUR_MS = 3_600_000;
const someDay = fc
  .integer({ min: 0, max: 60_000 })
  .map((days) => civilDateAt(Date.UTC(1950, 0, 1) + days * 24 * HOUR_MS, 'UTC'));

describe('reading a date', () => {
  it.each(['2026-01-01', '2024-02-29', '2000-02-29', '2026-12-31', '0001-01-01', '9999-12-31'])('takes %s', (text) => {
    expect(parseCivilDate(text)).toBe(text);
  });

  it.each([
    ['the 30th of February', '2026-02-30'],
    ['the leap day of a common year', '2026-02-29'],
    ['the leap day of 1900', '1900-02-29'],
    ['the 31st of April', '2026-04-31'],
    ['month 13', '2026-13-01'],
    ['month 0', '2026-00-10'],
    ['day 0', '2026-01-00'],
    ['no dashes', '20260101'],
    ['one digit', '2026-1-1'],
    ['a time after it', '2026-01-01T00:00'],
    ['spaces', ' 2026-01-01'],
    ['a line break', '2026-01-01\n'],
    ['a sign', '-2026-01-01'],
    ['six digits of year', '+002026-01-01'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(parseCivilDate(text)).toBeUndefined();
  });

  it("takes the program's own dates only when they exist", () => {
    expect(civilDate('2026-02-28')).toBe('2026-02-28');
    expect(() => civilDate('2026-02-30')).toThrow(InvariantError);
  });
});

describe('date arithmetic', () => {
  it.each([
    ['over the end of a month', '2026-01-31', 1, '2026-02-01'],
    ['over a leap day', '2024-02-28', 1, '2024-02-29'],
    ['past a leap day', '2024-02-28', 2, '2024-03-01'],
    ['over the end of a year', '2026-12-31', 1, '2027-01-01'],
    ['backwards', '2026-03-01', -1, '2026-02-28'],
    ['by nothing', '2026-03-01', 0, '2026-03-01'],
  ])('adds days %s', (_, from, days, to) => {
    expect(addDays(civilDate(from), days)).toBe(to);
  });

  it.each([
    ['to the last day of a shorter month', '2026-03-31', -1, '2026-02-28'],
    ['to the leap day', '2024-01-31', 1, '2024-02-29'],
    ['over a year', '2026-01-15', -1, '2025-12-15'],
  ])('adds months %s', (_, from, months, to) => {
    expect(addMonths(civilDate(from), months)).toBe(to);
  });

  it('counts days between dates consistently with adding them', () => {
    fc.assert(
      fc.property(someDay, fc.integer({ min: -5_000, max: 5_000 }), (day, days) => {
        expect(daysBetween(day, addDays(day, days))).toBe(days);
      }),
    );
  });

  it('orders dates as their text is ordered', () => {
    fc.assert(
      fc.property(someDay, someDay, (a, b) => {
        expect(Math.sign(daysBetween(a, b))).toBe(a < b ? 1 : a > b ? -1 : 0);
      }),
    );
  });

  it('knows the first of the month and the day of the week', () => {
    expect(monthStart(civilDate('2026-11-20'))).toBe('2026-11-01');
    expect(weekdayOf(civilDate('2026-11-16'))).toBe(1);
    expect(weekdayOf(civilDate('2026-11-22'))).toBe(7);
  });
});

describe('the day of an instant', () => {
  it.each([
    ['is already tomorrow at UTC+14', '2026-01-01T10:00:00Z', 'Pacific/Kiritimati', '2026-01-02'],
    ['is still yesterday at UTC-12', '2026-01-01T11:59:59Z', 'Etc/GMT+12', '2025-12-31'],
    ['begins at local midnight in winter', '2026-01-14T23:00:00Z', 'Europe/Berlin', '2026-01-15'],
    ['has not begun a second earlier', '2026-01-14T22:59:59Z', 'Europe/Berlin', '2026-01-14'],
    ['begins an hour earlier in summer', '2026-07-14T22:00:00Z', 'Europe/Berlin', '2026-07-15'],
    ['knows zones of half hours', '2026-01-14T18:30:00Z', 'Asia/Kolkata', '2026-01-15'],
    ['knows zones of quarter hours', '2026-01-14T18:15:00Z', 'Asia/Kathmandu', '2026-01-15'],
    ['skips the day that Samoa left out', '2011-12-30T10:00:00Z', 'Pacific/Apia', '2011-12-31'],
    ['is the same on both sides of a clock put back', '2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25'],
  ])('%s', (_, instant, zone, day) => {
    expect(civilDateAt(Date.parse(instant), zone)).toBe(day);
  });
});

describe('the start of a day', () => {
  it.each([
    ['is midnight', '2026-01-15', 'Europe/Berlin', '2026-01-14T23:00:00Z'],
    ['is after the clock change if midnight does not exist', '2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00Z'],
    ['is after the clock change in Beirut', '2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00Z'],
    ['is the first of two midnights', '2026-11-01', 'America/Havana', '2026-11-01T04:00:00Z'],
    ['comes first at UTC+14', '2026-01-02', 'Pacific/Kiritimati', '2026-01-01T10:00:00Z'],
    ['comes last at UTC-12', '2026-01-02', 'Etc/GMT+12', '2026-01-02T12:00:00Z'],
  ])('%s', (_, day, zone, instant) => {
    expect(startOfDayMs(civilDate(day), zone)).toBe(Date.parse(instant));
  });

  it.each([
    ['23 hours where the clock goes forward', '2026-03-29', 'Europe/Berlin', 23],
    ['25 hours where it goes back', '2026-10-25', 'Europe/Berlin', 25],
    ['24 and a half on Lord Howe Island', '2026-04-05', 'Australia/Lord_Howe', 24.5],
    ['24 hours otherwise', '2026-06-01', 'Europe/Berlin', 24],
  ])('gives a day of %s', (_, day, zone, hours) => {
    const date = civilDate(day);
    expect(startOfDayMs(addDays(date, 1), zone) - startOfDayMs(date, zone)).toBe(hours * HOUR_MS);
  });

  it('belongs to its day in every zone; the millisecond before does not', () => {
    const zone = fc.constantFrom(
      ...'UTC Europe/Berlin America/Sao_Paulo Asia/Beirut America/Havana Africa/Cairo'.split(' '),
      ...'Pacific/Kiritimati Etc/GMT+12 Asia/Kathmandu Australia/Lord_Howe America/St_Johns'.split(' '),
    );
    fc.assert(
      fc.property(someDay, zone, (day, name) => {
        const startMs = startOfDayMs(day, name);
        expect(civilDateAt(startMs, name)).toBe(day);
        expect(civilDateAt(startMs - 1, name) < day).toBe(true);
      }),
    );
  });
});

describe('names of time zones', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])('%s is known', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(['', 'Mars/Olympus', 'Berlin', 'CEST?', '2026-01-01'])('%j is unknown', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});

it('instants are written in UTC with whole seconds', () => {
  expect(instantText(Date.parse('2026-11-20T08:15:00.999Z'))).toBe('2026-11-20T08:15:00Z');
  expect(instantText(0)).toBe('1970-01-01T00:00:00Z');
});
