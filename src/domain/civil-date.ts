import { Temporal } from 'temporal-polyfill';
import { unreachable } from './errors.ts';

/** A valid date as `YYYY-MM-DD`, created only here and in parse-civil-date.ts. */
export type CivilDate = string & { readonly brand: 'CivilDate' };

/** Includes both `from` and `to`. */
export interface DateRange {
  readonly from: CivilDate;
  readonly to: CivilDate;
}

export function addDays(date: CivilDate, days: number): CivilDate {
  const moved = new Date((dayNumber(date) + days) * DAY_MS);
  return moved.toISOString().slice(0, -'T00:00:00.000Z'.length) as CivilDate;
}

export function daysBetween(from: CivilDate, to: CivilDate): number {
  return dayNumber(to) - dayNumber(from);
}

const DAY_MS = 86_400_000;

/** Days since 1970-01-01. Avoids Temporal, which would be too slow here. */
const dayNumber = (date: CivilDate): number => Date.parse(date) / DAY_MS;

export function addMonths(date: CivilDate, months: number): CivilDate {
  return Temporal.PlainDate.from(date).add({ months }).toString() as CivilDate;
}

export function monthStart(date: CivilDate): CivilDate {
  return `${date.slice(0, 8)}01` as CivilDate;
}

/** Weeks begin on Monday. */
export type Grain = 'day' | 'week' | 'month' | 'quarter' | 'year';

export function startOfGrain(grain: Grain, date: CivilDate): CivilDate {
  switch (grain) {
    case 'day':
      return date;
    case 'week':
      return addDays(date, 1 - weekdayOf(date));
    case 'month':
      return monthStart(date);
    case 'quarter':
      return addMonths(monthStart(date), -((Number(date.slice(5, 7)) - 1) % 3));
    case 'year':
      return `${date.slice(0, 4)}-01-01` as CivilDate;
    default:
      return unreachable(grain);
  }
}

export function endOfGrain(grain: Grain, date: CivilDate): CivilDate {
  const start = startOfGrain(grain, date);
  if (grain === 'day') return start;
  return grain === 'week' ? addDays(start, 6) : addDays(addMonths(start, MONTHS_OF[grain]), -1);
}

const MONTHS_OF = { month: 1, quarter: 3, year: 12 };

/** Returns 1 (Monday) to 7 (Sunday). */
export function weekdayOf(date: CivilDate): number {
  // 1970 began on a Thursday.
  return (((dayNumber(date) % 7) + 10) % 7) + 1;
}

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

export function civilDateAt(instantMs: number, timeZone: string): CivilDate {
  const instant = Temporal.Instant.fromEpochMilliseconds(instantMs);
  return instant.toZonedDateTimeISO(timeZone).toPlainDate().toString() as CivilDate;
}

export function clockTimeAt(instantMs: number, timeZone: string): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(instantMs);
  return instant.toZonedDateTimeISO(timeZone).toPlainTime().toString({ smallestUnit: 'minute' });
}

/** Returns 0 to 23. When clocks are set back, an hour occurs twice; when they are set forward, one is missing. */
export function hourAt(instantMs: number, timeZone: string): number {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timeZone).hour;
}

/** If daylight saving time skips midnight, the day starts at its first existing time. */
export function startOfDayMs(date: CivilDate, timeZone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds;
}

/** If daylight saving time skips `time`, the result is later, such as 03:30 instead of 02:30. */
export function instantOf(date: CivilDate, time: string, timeZone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds;
}

export function overlapOf(a: DateRange, b: DateRange): DateRange | undefined {
  const from = daysBetween(a.from, b.from) > 0 ? b.from : a.from;
  const to = daysBetween(b.to, a.to) > 0 ? b.to : a.to;
  return daysBetween(from, to) < 0 ? undefined : { from, to };
}

/** Returns undefined for a single day. */
export function halve({ from, to }: DateRange): readonly [DateRange, DateRange] | undefined {
  const days = daysBetween(from, to);
  if (days === 0) return undefined;
  const middle = addDays(from, Math.floor(days / 2));
  return [
    { from, to: middle },
    { from: addDays(middle, 1), to },
  ];
}

export function daysOf({ from, to }: DateRange): CivilDate[] {
  const days: CivilDate[] = [];
  let day = from;
  for (let left = daysBetween(from, to); left >= 0; left--) {
    days.push(day);
    day = nextDay(day);
  }
  return days;
}

const nextDays = new Map<CivilDate, CivilDate>();
const NEXT_DAYS_MAX = 10_000;

/** Keeps results in memory, because many accounts need the same days. */
export function nextDay(date: CivilDate): CivilDate {
  const known = nextDays.get(date);
  if (known !== undefined) return known;
  const next = addDays(date, 1);
  if (nextDays.size < NEXT_DAYS_MAX) nextDays.set(date, next);
  return next;
}

export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns text such as `2026-11-20T08:15:00Z`. */
export function instantText(instantMs: number): string {
  return `${new Date(instantMs).toISOString().slice(0, 19)}Z`;
}

/** For people. Programs and files get instants as they are. */
export function minuteText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;
}

/** For times at which a second matters. */
export function secondText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;
}

export function isWholeMonth({ from, to }: DateRange): boolean {
  return from === monthStart(from) && to === endOfGrain('month', from);
}
