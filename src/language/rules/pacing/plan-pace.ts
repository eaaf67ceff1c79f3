import {
  addDays,
  addMonths,
  type CivilDate,
  type DateRange,
  daysOf,
  endOfGrain,
  monthStart,
  overlapOf,
} from '../../../domain/civil-date.ts';
import { grouped } from '../../../domain/wording.ts';
import type { AccountCalendar } from '../evaluate/resolve-window.ts';
import { flightOf, type Pace } from './pace.ts';

/** Number of recent days for weekday means and past budgets. */
export const LEARNED_DAYS = 28;
/** Number of newest complete days that show how much of a budget is used. */
export const USED_DAYS = 7;
const MONTHS_BACK_MAX = 24;

export interface DaysGone {
  readonly settled: readonly CivilDate[];
  readonly open: readonly CivilDate[];
}

export interface EarlierMonth extends DaysGone {
  readonly range: DateRange;
  /** Complete days, grouped by week of the month. */
  readonly weeks: readonly (readonly CivilDate[])[];
}

export interface PacePlan extends DaysGone {
  readonly today: CivilDate;
  readonly standing: 'active' | 'not_started' | 'ended';
  /** The flight, or the paced days of today's month. If no day is paced, the whole month. */
  readonly period: DateRange;
  /** Final days among the last 28 days, oldest first. */
  readonly recent: readonly CivilDate[];
  readonly earlier: readonly EarlierMonth[];
  /** The newest 28 days with complete conversions, if the target is split by return. */
  readonly returned: readonly CivilDate[];
  readonly needed: readonly CivilDate[];
}

export function planPace(
  pace: Pick<Pace, 'per' | 'starts' | 'ends' | 'rollover'>,
  { today, lastSettled, conversionDays = 0 }: AccountCalendar,
  settled: (day: CivilDate) => boolean,
  byReturn = false,
): PacePlan {
  const { starts = FIRST, ends = LAST } = pace;
  const whole = monthOf(today);
  const paced = { from: starts, to: ends };
  const period = flightOf(pace) ?? overlapOf(whole, paced) ?? whole;
  const standing = today < starts ? 'not_started' : today > ends ? 'ended' : 'active';
  const gone = (range: DateRange): DaysGone => {
    const days = daysOf(range).filter((day) => day < today);
    return { settled: days.filter((day) => day <= lastSettled), open: days.filter((day) => day > lastSettled) };
  };
  const newest = (last: CivilDate) => daysOf({ from: addDays(last, 1 - LEARNED_DAYS), to: last }).filter(settled);
  const [converted = lastSettled] = [addDays(today, -1 - conversionDays), lastSettled].toSorted();
  const carries = standing === 'active' && pace.rollover !== 'none' && pace.starts !== undefined;
  const oldest = addMonths(whole.from, -MONTHS_BACK_MAX);
  const [, first = oldest] = [monthStart(starts), oldest].toSorted();
  const ofMonths = (carries ? monthsBetween(first, whole.from) : []).flatMap((one): EarlierMonth[] => {
    const range = overlapOf(one, paced);
    if (range === undefined) return [];
    const days = gone(range);
    return [{ range, ...days, weeks: grouped(days.settled, weekOfMonth) }];
  });
  const ofPeriod = standing === 'active' ? gone(period) : { settled: [], open: [] };
  return {
    today,
    standing,
    period,
    earlier: ofMonths,
    ...ofPeriod,
    recent: newest(lastSettled),
    returned: byReturn ? newest(converted) : [],
    // The newest final day shows the spending, so this day is needed even on the period's first day.
    needed: [...ofMonths.flatMap((one) => one.settled), ...ofPeriod.settled, lastSettled],
  };
}

/** Each returned set of days needs its own sum. */
export function daySetsOf({ settled, open, recent, earlier, returned }: PacePlan): (readonly CivilDate[])[] {
  const alone = new Set([...settled, ...open, ...recent, ...earlier.flatMap((month) => month.open)]);
  const days = Array.from(alone, (day) => [day]);
  const weeks = earlier.flatMap((month) => month.weeks);
  return [...days, ...weeks, returned];
}

const FIRST = '0000-01-01' as CivilDate;
const LAST = '9999-12-31' as CivilDate;

function monthOf(day: CivilDate): DateRange {
  return { from: monthStart(day), to: endOfGrain('month', day) };
}

/** Weeks of a month begin on days 1, 8, 15, 22 and 29. */
const weekOfMonth = (day: CivilDate): string => String(Math.floor((Number(day.slice(8)) - 1) / 7));

function monthsBetween(first: CivilDate, end: CivilDate): DateRange[] {
  const months: DateRange[] = [];
  for (let from = first; from < end; from = addMonths(from, 1)) months.push(monthOf(from));
  return months;
}
