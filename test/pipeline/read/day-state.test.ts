import { describe, expect, it } from 'vitest';
import { instantText } from '../../../src/domain/civil-date.ts';
import { settledFromMs } from '../../../src/domain/complete-days.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { accountToday, calendarOf, dayState, lastSettledDay } from '../../../src/engine/read/day-state.ts';

type Zone = string | undefined;
const calendar = (timeZone: Zone, closesAt = '03:00', settleDays = 0) => ({ timeZone, closesAt, settleDays });

describe('a day is complete', () => {
  it.each<[sentence: string, day: string, zone: Zone, closesAt: string, settleDays: number, from: string]>([
    [
      'at 03:00 of the next day in the account’s time zone',
      '2026-11-19',
      'Europe/Berlin',
      '03:00',
      0,
      '2026-11-20T02:00:00Z',
    ],
    ['earlier in the east', '2026-11-19', 'Pacific/Kiritimati', '03:00', 0, '2026-11-19T13:00:00Z'],
    ['later in the west', '2026-11-19', 'Etc/GMT+12', '03:00', 0, '2026-11-20T15:00:00Z'],
    [
      'when it has ended everywhere, if the time zone is unknown',
      '2026-11-19',
      undefined,
      '03:00',
      0,
      '2026-11-20T15:00:00Z',
    ],
    ['at midnight if the settings say so', '2026-11-19', 'Europe/London', '00:00', 0, '2026-11-20T00:00:00Z'],
    ['some days later if the settings say so', '2026-11-19', 'Europe/London', '03:00', 3, '2026-11-23T03:00:00Z'],
    ['at 03:00 of a next day with 23 hours', '2026-03-28', 'Europe/Berlin', '03:00', 0, '2026-03-29T01:00:00Z'],
    ['at 03:00 of a next day with 25 hours', '2026-10-24', 'Europe/Berlin', '03:00', 0, '2026-10-25T02:00:00Z'],
    ['an hour later if its closing time is skipped', '2026-03-28', 'Europe/Berlin', '02:30', 0, '2026-03-29T01:30:00Z'],
    [
      'at the first occurrence if its closing time is repeated',
      '2026-10-24',
      'Europe/Berlin',
      '02:30',
      0,
      '2026-10-25T00:30:00Z',
    ],
    ['an hour later if 03:00 is skipped', '2026-03-28', 'Europe/Helsinki', '03:00', 0, '2026-03-29T01:00:00Z'],
    ['an hour later if midnight is skipped', '2026-09-05', 'America/Santiago', '00:00', 0, '2026-09-06T04:00:00Z'],
  ])('%s', (_, day, zone, closesAt, settleDays, from) => {
    const ofDay = calendar(zone, closesAt, settleDays);
    const fromMs = settledFromMs(civilDate(day), ofDay);
    expect(instantText(fromMs)).toBe(from);
    expect(dayState(civilDate(day), fromMs, ofDay)).toBe('settled');
    expect(dayState(civilDate(day), fromMs - 1, ofDay)).toBe('provisional');
    expect(lastSettledDay(fromMs, ofDay)).toBe(day);
    expect(lastSettledDay(fromMs - 1, ofDay) < day).toBe(true);
  });

  it('only after it has ended: today and tomorrow are provisional', () => {
    const nowMs = Date.parse('2026-11-20T12:00:00Z');
    for (const day of ['2026-11-20', '2026-11-21']) {
      expect(dayState(civilDate(day), nowMs, calendar('Europe/Berlin'))).toBe('provisional');
    }
  });
});

describe('today', () => {
  it.each<[zone: Zone, now: string, today: string]>([
    ['Pacific/Kiritimati', '2026-11-20T10:00:00Z', '2026-11-21'],
    ['Pacific/Kiritimati', '2026-11-20T09:59:59Z', '2026-11-20'],
    ['Etc/GMT+12', '2026-11-20T11:59:59Z', '2026-11-19'],
    ['Etc/GMT+12', '2026-11-20T12:00:00Z', '2026-11-20'],
    [undefined, '2026-11-20T23:59:59Z', '2026-11-20'],
    ['America/Los_Angeles', '2026-11-01T07:30:00Z', '2026-11-01'],
  ])('in %s at %s is %s', (zone, now, today) => {
    expect(accountToday(zone, Date.parse(now))).toBe(today);
  });
});

describe('the calendar of a table', () => {
  it('has the lag from the settings of its query, or none', () => {
    const settings = { dayClosesAt: '04:00', settleDays: new Map([['stats', 2]]) };
    expect(calendarOf(settings, 'stats', 'Europe/Berlin')).toEqual(calendar('Europe/Berlin', '04:00', 2));
    expect(calendarOf(settings, 'others', undefined)).toEqual(calendar(undefined, '04:00', 0));
  });
});
