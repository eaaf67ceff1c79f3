import { conversionDaysIn } from '../../config/completeness.ts';
import type { Settings } from '../../config/settings.ts';
import { addDays, type CivilDate, civilDateAt, instantOf } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { daysUntilComplete, type Rule } from '../../rules/rule.ts';

export interface DayCalendar {
  /** IANA name; undefined if unknown. */
  readonly timeZone: string | undefined;
  /** "03:00": the next day at this local time, the day's numbers are all in. */
  readonly closesAt: string;
  /** Further days until the numbers count as final. */
  readonly settleDays: number;
}

/** For an unknown time zone, a day ends when it has ended everywhere. */
const LAST_TIME_ZONE = 'Etc/GMT+12';

/** A reading that begins at or after this instant is final; milliseconds. */
export function settledFromMs(date: CivilDate, { timeZone, closesAt, settleDays }: DayCalendar): number {
  return instantOf(addDays(date, 1 + settleDays), closesAt, timeZone ?? LAST_TIME_ZONE);
}

/** `readMs` is the start of the reading: an earlier answer may still change. */
export function dayState(date: CivilDate, readMs: number, calendar: DayCalendar): 'provisional' | 'settled' {
  return readMs >= settledFromMs(date, calendar) ? 'settled' : 'provisional';
}

/** UTC for an account without a calendar, which rules ignore. */
export function accountToday(timeZone: string | undefined, nowMs: number): CivilDate {
  return civilDateAt(nowMs, timeZone ?? 'UTC');
}

export function lastSettledDay(nowMs: number, calendar: DayCalendar): CivilDate {
  const day = addDays(accountToday(calendar.timeZone, nowMs), -1 - calendar.settleDays);
  return dayState(day, nowMs, calendar) === 'settled' ? day : addDays(day, -1);
}

/** The calendar of a rule's days: complete for conversions too, if the rule uses them. */
export function calendarOfRule(
  settings: Pick<Settings, 'accounts' | 'extract'>,
  rule: Rule,
  { customerId, timeZone }: { readonly customerId: CustomerId; readonly timeZone: string | undefined },
): DayCalendar {
  const ofTable = calendarOf(settings.extract, rule.from, timeZone);
  const conversions = conversionDaysIn(settings, customerId);
  return { ...ofTable, settleDays: daysUntilComplete(rule, { table: ofTable.settleDays, conversions }) };
}

/** A reading shows a day's conversions only if it began after they were complete. */
export function completeBy(
  { usesConversions }: Rule,
  calendar: DayCalendar,
): ((day: CivilDate, readMs: number) => boolean) | undefined {
  return usesConversions ? (day, readMs) => dayState(day, readMs, calendar) === 'settled' : undefined;
}

export function calendarOf(
  { dayClosesAt, settleDays }: { readonly dayClosesAt: string; readonly settleDays: ReadonlyMap<string, number> },
  query: string,
  timeZone: string | undefined,
): DayCalendar {
  return { timeZone, closesAt: dayClosesAt, settleDays: settleDays.get(query) ?? 0 };
}
