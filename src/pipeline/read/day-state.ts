import { conversionDaysIn } from '../../config/completeness.ts';
import type { Settings } from '../../config/settings.ts';
import { addDays, type CivilDate, civilDateAt, instantOf } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { daysUntilComplete, type Rule } from '../../rules/rule.ts';

export interface DayCalendar {
  /** IANA name; undefined if unknown. */
  readonly timeZone: string | undefined;
  /** Local time such as "03:00". From this time on the next day, all numbers of a day are available. */
  readonly closesAt: string;
  /** Number of further days until the numbers count as final. */
  readonly settleDays: number;
}

/** The last time zone in which a day ends. Used if the account's time zone is unknown. */
const LAST_TIME_ZONE = 'Etc/GMT+12';

/** The instant in milliseconds from which a read returns final numbers. */
export function settledFromMs(date: CivilDate, { timeZone, closesAt, settleDays }: DayCalendar): number {
  return instantOf(addDays(date, 1 + settleDays), closesAt, timeZone ?? LAST_TIME_ZONE);
}

/** `readMs` is the start of the read. */
export function dayState(date: CivilDate, readMs: number, calendar: DayCalendar): 'provisional' | 'settled' {
  return readMs >= settledFromMs(date, calendar) ? 'settled' : 'provisional';
}

/** Uses UTC for an account without a time zone. Rules ignore such accounts. */
export function accountToday(timeZone: string | undefined, nowMs: number): CivilDate {
  return civilDateAt(nowMs, timeZone ?? 'UTC');
}

export function lastSettledDay(nowMs: number, calendar: DayCalendar): CivilDate {
  const day = addDays(accountToday(calendar.timeZone, nowMs), -1 - calendar.settleDays);
  return dayState(day, nowMs, calendar) === 'settled' ? day : addDays(day, -1);
}

/** The days on which a rule's numbers are complete. If the rule uses conversions, these must be complete too. */
export function calendarOfRule(
  settings: Pick<Settings, 'accounts' | 'extract'>,
  rule: Rule,
  { customerId, timeZone }: { readonly customerId: CustomerId; readonly timeZone: string | undefined },
): DayCalendar {
  const ofTable = calendarOfReads(settings.extract, rule, timeZone);
  const conversions = conversionDaysIn(settings, customerId);
  return { ...ofTable, settleDays: daysUntilComplete(rule, { table: ofTable.settleDays, conversions }) };
}

/** Tests whether a read began after the day's conversions were complete. Undefined for a rule without conversions. */
export function completeBy(
  { usesConversions }: Rule,
  calendar: DayCalendar,
): ((day: CivilDate, readMs: number) => boolean) | undefined {
  return usesConversions ? (day, readMs) => dayState(day, readMs, calendar) === 'settled' : undefined;
}

/** A day is complete when all queries behind the rule's table are complete. */
export function calendarOfReads(
  extract: Settings['extract'],
  { reads }: Rule,
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
