import { addDays, type CivilDate, daysBetween, endOfGrain, type Grain, startOfGrain } from '../../domain/civil-date.ts';

/** Days of the account's calendar that a query file can name: `:today`, `:month_start`. Weeks begin on Monday. */
const CALENDAR = {
  today: (today) => today,
  yesterday: (today) => addDays(today, -1),
  week_start: (today) => startOfGrain('week', today),
  month_start: (today) => startOfGrain('month', today),
  quarter_start: (today) => startOfGrain('quarter', today),
  year_start: (today) => startOfGrain('year', today),
} satisfies Readonly<Record<string, (today: CivilDate) => CivilDate>>;

export type CalendarName = keyof typeof CALENDAR;

export const CALENDAR_NAMES = Object.keys(CALENDAR) as readonly CalendarName[];

export function isCalendarName(name: string): name is CalendarName {
  return Object.hasOwn(CALENDAR, name);
}

/** As far as days may be added to a date of the calendar: a century. */
export const CALENDAR_DAYS_MAX = 36_525;

/** A day written in a query: fixed, or counted on the account's calendar. */
export type WrittenDay =
  | { readonly kind: 'fixed'; readonly date: CivilDate }
  | { readonly kind: 'calendar'; readonly name: CalendarName; readonly days: number };

/** `:today-7` on the account's today. */
export function dayOf(day: WrittenDay, today: CivilDate): CivilDate {
  return day.kind === 'fixed' ? day.date : addDays(CALENDAR[day.name](today), day.days);
}

/** An end of a window: a written day, or the last day of the stretch it begins, moved by some days. */
export interface DateMark {
  readonly day: WrittenDay;
  readonly lastOf?: Grain;
  readonly plusDays: number;
}

export function resolveMark({ day, lastOf, plusDays }: DateMark, today: CivilDate): CivilDate {
  const date = dayOf(day, today);
  return addDays(lastOf === undefined ? date : endOfGrain(lastOf, date), plusDays);
}

/** The stretches that a query names by their first day; a year is named by its number. */
export type DayGrain = Exclude<Grain, 'year'>;

/** The calendar names that always begin such a stretch, and by how many days they may be moved. */
export function beginsGrain(day: WrittenDay, grain: DayGrain): boolean {
  if (day.kind === 'fixed') return startOfGrain(grain, day.date) === day.date;
  const { name, days } = day;
  switch (grain) {
    case 'day':
      return true;
    case 'week':
      return name === 'week_start' && days % 7 === 0;
    case 'month':
      return days === 0 && ['month_start', 'quarter_start', 'year_start'].includes(name);
    case 'quarter':
      return days === 0 && ['quarter_start', 'year_start'].includes(name);
  }
}

/** Days from one mark to the other where they are the same on every today; undefined where they depend on it. */
export function distanceOf(from: DateMark, to: DateMark): number | undefined {
  if ([from, to].some(({ lastOf = 'day' }) => lastOf !== 'day')) return undefined;
  const moved = to.plusDays - from.plusDays;
  const first = onToday(from.day);
  const last = onToday(to.day);
  if (first.kind === 'fixed') return last.kind === 'fixed' ? daysBetween(first.date, last.date) + moved : undefined;
  return last.kind === 'calendar' && last.name === first.name ? last.days - first.days + moved : undefined;
}

/** `:yesterday` is `:today-1`. */
function onToday(day: WrittenDay): WrittenDay {
  return day.kind === 'calendar' && day.name === 'yesterday' ? { ...day, name: 'today', days: day.days - 1 } : day;
}
