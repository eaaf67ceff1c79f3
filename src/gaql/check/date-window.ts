import { addDays, addMonths, type CivilDate, type DateRange, monthStart, weekdayOf } from '../../domain/civil-date.ts';

/** The days a query asks for: fixed, or counted from the account's today. */
export type DateWindow =
  | { readonly kind: 'fixed'; readonly range: DateRange }
  | { readonly kind: 'period'; readonly period: PeriodName };

/** Monday of the week that `date` lies in. */
const monday = (date: CivilDate): CivilDate => addDays(date, 1 - weekdayOf(date));
/** Sunday on or before `date`. */
const sunday = (date: CivilDate): CivilDate => addDays(date, -(weekdayOf(date) % 7));

/** Every period DURING knows, by the account's today. The last N days do not include today. */
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

/** The period by its name in any case; undefined when there is none. */
export function periodNamed(text: string): PeriodName | undefined {
  return PERIOD_NAMES.find((name) => name === text.toUpperCase());
}

/** The days of the window on the account's `today`. */
export function resolveWindow(window: DateWindow, today: CivilDate): DateRange {
  return window.kind === 'fixed' ? window.range : PERIODS[window.period](today);
}
