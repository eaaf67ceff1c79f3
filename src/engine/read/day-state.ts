import { conversionDaysIn } from '../../config/of-account.ts';
import type { Settings } from '../../config/settings.ts';
import { addDays, type CivilDate, civilDateAt } from '../../domain/civil-date.ts';
import { type DayCalendar, settledFromMs } from '../../domain/complete-days.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { daysUntilComplete, type Rule } from '../../language/rules/rule.ts';

/** `readMs` is the time when the read began. */
export function dayState(date: CivilDate, readMs: number, calendar: DayCalendar): 'provisional' | 'settled' {
  return readMs >= settledFromMs(date, calendar) ? 'settled' : 'provisional';
}

/** UTC is acceptable, because rules ignore accounts without a time zone. */
export function accountToday(timeZone: string | undefined, nowMs: number): CivilDate {
  return civilDateAt(nowMs, timeZone ?? 'UTC');
}

export function lastSettledDay(nowMs: number, calendar: DayCalendar): CivilDate {
  const day = addDays(accountToday(calendar.timeZone, nowMs), -1 - calendar.settleDays);
  return dayState(day, nowMs, calendar) === 'settled' ? day : addDays(day, -1);
}

/** For a rule with conversions, a day is complete only when its conversions are complete. */
export function calendarOfRule(
  settings: Pick<Settings, 'accounts' | 'extract'>,
  rule: Rule,
  { customerId, timeZone }: { readonly customerId: CustomerId; readonly timeZone: string | undefined },
): DayCalendar {
  const ofTable = calendarOfReads(settings.extract, rule, timeZone);
  const conversions = conversionDaysIn(settings, customerId);
  return { ...ofTable, settleDays: daysUntilComplete(rule, { table: ofTable.settleDays, conversions }) };
}

/** Returns a test for whether a day was complete when the read began. Undefined for a rule without conversions. */
export function completeBy(
  { usesConversions }: Rule,
  calendar: DayCalendar,
): ((day: CivilDate, readMs: number) => boolean) | undefined {
  return usesConversions ? (day, readMs) => dayState(day, readMs, calendar) === 'settled' : undefined;
}

/** A day is complete when all queries that the rule reads are complete. */
export function calendarOfReads(
  extract: Settings['extract'],
  { reads }: Pick<Rule, 'reads'>,
  timeZone: string | undefined,
): DayCalendar {
  const [first, ...others] = reads.map(({ name }) => calendarOf(extract, name, timeZone));
  const ofNone = calendarOf(extract, '', timeZone);
  return [first ?? ofNone, ...others].reduce((one, other) => (other.settleDays > one.settleDays ? other : one));
}

export function calendarOf(
  { dayClosesAt, settleDays }: { readonly dayClosesAt: string; readonly settleDays: ReadonlyMap<string, number> },
  query: string,
  timeZone: string | undefined,
): DayCalendar {
  return { timeZone, closesAt: dayClosesAt, settleDays: settleDays.get(query) ?? 0 };
}
