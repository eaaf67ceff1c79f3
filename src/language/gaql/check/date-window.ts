import {
  addDays,
  addMonths,
  type CivilDate,
  type DateRange,
  daysBetween,
  endOfGrain,
  type Grain,
  monthStart,
  startOfGrain,
  weekdayOf,
} from '../../../domain/civil-date.ts';

/** Days that a query can name, such as `:today`. Weeks begin on Monday. */
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

export const CALENDAR_DAYS_MAX = 36_525;

export type WrittenDay =
  | { readonly kind: 'fixed'; readonly date: CivilDate }
  | { readonly kind: 'calendar'; readonly name: CalendarName; readonly days: number };

export function dayOf(day: WrittenDay, today: CivilDate): CivilDate {
  return day.kind === 'fixed' ? day.date : addDays(CALENDAR[day.name](today), day.days);
}

/** The date is `day`, or the last day of the period `lastOf` around `day`, plus `plusDays` days. */
export interface DateMark {
  readonly day: WrittenDay;
  readonly lastOf?: Grain;
  readonly plusDays: number;
}

function resolveMark({ day, lastOf, plusDays }: DateMark, today: CivilDate): CivilDate {
  const date = dayOf(day, today);
  return addDays(lastOf === undefined ? date : endOfGrain(lastOf, date), plusDays);
}

export type DayGrain = Exclude<Grain, 'year'>;

/** True if `day` is the first day of a `grain`, whatever `today` is. */
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

/** Number of days from `from` to `to`. Undefined for a mark at the end of a longer period, or if the number can depend on `today`. */
export function distanceOf(from: DateMark, to: DateMark): number | undefined {
  if ([from, to].some(({ lastOf = 'day' }) => lastOf !== 'day')) return undefined;
  const moved = to.plusDays - from.plusDays;
  const first = onToday(from.day);
  const last = onToday(to.day);
  if (first.kind === 'fixed') return last.kind === 'fixed' ? daysBetween(first.date, last.date) + moved : undefined;
  return last.kind === 'calendar' && last.name === first.name ? last.days - first.days + moved : undefined;
}

function onToday(day: WrittenDay): WrittenDay {
  return day.kind === 'calendar' && day.name === 'yesterday' ? { ...day, name: 'today', days: day.days - 1 } : day;
}

export type DateBounds =
  | { readonly kind: 'marks'; readonly from?: DateMark; readonly to?: DateMark }
  /** From the first of `days` to the end of the last period of length `grain`. */
  | { readonly kind: 'list'; readonly days: readonly WrittenDay[]; readonly grain: Grain }
  | { readonly kind: 'period'; readonly period: PeriodName };

export type DateWindow =
  | { readonly kind: 'fixed'; readonly range: DateRange }
  | { readonly kind: 'period'; readonly period: PeriodName }
  | { readonly kind: 'bounds'; readonly bounds: readonly DateBounds[] };

const monday = (date: CivilDate): CivilDate => startOfGrain('week', date);
const sunday = (date: CivilDate): CivilDate => addDays(date, -(weekdayOf(date) % 7));

/** The periods of DURING. The last N days exclude today. */
const PERIODS = {
  TODAY: (today) => ({ from: today, to: today }),
  YESTERDAY: (today) => ({ from: addDays(today, -1), to: addDays(today, -1) }),
  LAST_7_DAYS: (today) => ({ from: addDays(today, -7), to: addDays(today, -1) }),
  LAST_14_DAYS: (today) => ({ from: addDays(today, -14), to: addDays(today, -1) }),
  LAST_30_DAYS: (today) => ({ from: addDays(today, -30), to: addDays(today, -1) }),
  LAST_BUSINESS_WEEK: (today) => ({ from: addDays(monday(today), -7), to: addDays(monday(today), -3) }),
  LAST_WEEK_MON_SUN: (today) => ({ from: addDays(monday(today), -7), to: addDays(monday(today), -1) }),
  LAST_WEEK_SUN_SAT: (today) => ({ from: addDays(sunday(today), -7), to: addDays(sunday(today), -1) }),
  THIS_WEEK_MON_TODAY: (today) => ({ from: monday(today), to: today }),
  THIS_WEEK_SUN_TODAY: (today) => ({ from: sunday(today), to: today }),
  THIS_MONTH: (today) => ({ from: monthStart(today), to: today }),
  LAST_MONTH: (today) => ({ from: addMonths(monthStart(today), -1), to: addDays(monthStart(today), -1) }),
} satisfies Readonly<Record<string, (today: CivilDate) => DateRange>>;

export type PeriodName = keyof typeof PERIODS;

export const PERIOD_NAMES = Object.keys(PERIODS) as readonly PeriodName[];

export function periodNamed(text: string): PeriodName | undefined {
  return PERIOD_NAMES.find((name) => name === text.toUpperCase());
}

/** Undefined for an empty window, such as `:month_start` to `:yesterday` on the first day of a month. */
export function resolveWindow(window: DateWindow, today: CivilDate): DateRange | undefined {
  if (window.kind === 'fixed') return window.range;
  if (window.kind === 'period') return PERIODS[window.period](today);
  const ranges = window.bounds.map((bounds) => resolveBounds(bounds, today));
  const from = ranges.flatMap((range) => range.from ?? []).reduce(later);
  const to = ranges.flatMap((range) => range.to ?? []).reduce(earlier);
  return isBefore(to, from) ? undefined : { from, to };
}

function resolveBounds(bounds: DateBounds, today: CivilDate): Partial<DateRange> {
  if (bounds.kind === 'period') return PERIODS[bounds.period](today);
  if (bounds.kind === 'list') {
    const firsts = bounds.days.map((day) => resolveMark({ day, plusDays: 0 }, today));
    const lasts = bounds.days.map((day) => resolveMark({ day, lastOf: bounds.grain, plusDays: 0 }, today));
    return { from: firsts.reduce(earlier), to: lasts.reduce(later) };
  }
  return {
    ...(bounds.from && { from: resolveMark(bounds.from, today) }),
    ...(bounds.to && { to: resolveMark(bounds.to, today) }),
  };
}

export function marksOf(bounds: readonly DateBounds[]): { firsts: readonly DateMark[]; lasts: readonly DateMark[] } {
  return {
    firsts: bounds.flatMap((bound) => (bound.kind === 'marks' ? (bound.from ?? []) : [])),
    lasts: bounds.flatMap((bound) => (bound.kind === 'marks' ? (bound.to ?? []) : [])),
  };
}

const later = (a: CivilDate, b: CivilDate): CivilDate => (isBefore(a, b) ? b : a);
const earlier = (a: CivilDate, b: CivilDate): CivilDate => (isBefore(b, a) ? b : a);

/** Compares days instead of texts, because the year after 9999 has five digits. */
function isBefore(a: CivilDate, b: CivilDate): boolean {
  return daysBetween(a, b) > 0;
}
