import { addDays, type CivilDate, civilDateAt, instantOf } from '../../domain/civil-date.ts';

/** When a day of an account is over for good. */
export interface DayCalendar {
  /** IANA name; undefined where the account's is not known. */
  readonly timeZone: string | undefined;
  /** "03:00": the day's numbers are all in at that time of the next day, by the account's clock. */
  readonly closesAt: string;
  /** Days that pass after that before the numbers count as settled. */
  readonly settleDays: number;
}

/** Where the time zone is not known, a day is over when it is over everywhere. */
const LAST_TIME_ZONE = 'Etc/GMT+12';

/** The instant from which on a reading of the day settles it, milliseconds. */
export function settledFromMs(date: CivilDate, { timeZone, closesAt, settleDays }: DayCalendar): number {
  return instantOf(addDays(date, 1 + settleDays), closesAt, timeZone ?? LAST_TIME_ZONE);
}

/** What a reading that began at `readMs` makes of the day: what was asked before the day was settled may still change. */
export function dayState(date: CivilDate, readMs: number, calendar: DayCalendar): 'provisional' | 'settled' {
  return readMs >= settledFromMs(date, calendar) ? 'settled' : 'provisional';
}

/** The account's today; where its calendar is not known its days are counted in UTC, and rules leave it alone. */
export function accountToday(timeZone: string | undefined, nowMs: number): CivilDate {
  return civilDateAt(nowMs, timeZone ?? 'UTC');
}

/** The newest day that a reading now would settle. */
export function lastSettledDay(nowMs: number, calendar: DayCalendar): CivilDate {
  const day = addDays(accountToday(calendar.timeZone, nowMs), -1 - calendar.settleDays);
  return dayState(day, nowMs, calendar) === 'settled' ? day : addDays(day, -1);
}

/** The calendar of an account's days in a query's table, by the settings. */
export function calendarOf(
  { dayClosesAt, settleDays }: { readonly dayClosesAt: string; readonly settleDays: ReadonlyMap<string, number> },
  query: string,
  timeZone: string | undefined,
): DayCalendar {
  return { timeZone, closesAt: dayClosesAt, settleDays: settleDays.get(query) ?? 0 };
}
