import {
  addDays,
  addMonths,
  type CivilDate,
  type DateRange,
  daysOf,
  endOfGrain,
  monthStart,
  overlapOf,
} from '../../domain/civil-date.ts';
import { grouped } from '../../domain/wording.ts';
import type { AccountCalendar } from '../evaluate/resolve-window.ts';
import type { Pace } from './pace.ts';

/** A weekday is learned from four of each; what budgets were is looked at as far back. */
export const LEARNED_DAYS = 28;
/** How many of the newest complete days say what a budget is used for. */
export const USED_DAYS = 7;
/** A rollover counts at most so many months before the one that is paced. */
const MONTHS_BACK_MAX = 24;

/** Days that are over: whose costs are known, and whose are not yet. */
export interface DaysGone {
  readonly settled: readonly CivilDate[];
  readonly open: readonly CivilDate[];
}

/** A month before, or the part of it that was paced. */
export interface EarlierMonth extends DaysGone {
  readonly range: DateRange;
  /** Its complete days by the weeks of the month: what is new counts from its first week with rows on. */
  readonly weeks: readonly (readonly CivilDate[])[];
}

/** Which days a rule that paces reads, and what they are to it. */
export interface PacePlan extends DaysGone {
  readonly today: CivilDate;
  readonly standing: 'active' | 'not_started' | 'ended';
  /** The days of today's month that are paced; all of it where none is. */
  readonly month: DateRange;
  /** Of the last 28 days, those that are settled, oldest first. */
  readonly recent: readonly CivilDate[];
  /** Those that are carried over from, oldest first. */
  readonly earlier: readonly EarlierMonth[];
  /** The days that must be settled. */
  readonly needed: readonly CivilDate[];
}

/** Pure: what a pace reads on the calendar's day. */
export function planPace(
  pace: Pick<Pace, 'starts' | 'ends' | 'rollover'>,
  { today, lastSettled }: AccountCalendar,
  settled: (day: CivilDate) => boolean,
): PacePlan {
  const { starts = FIRST, ends = LAST } = pace;
  const whole = monthOf(today);
  const month = overlapOf(whole, { from: starts, to: ends }) ?? whole;
  const standing = today < starts ? 'not_started' : today > ends ? 'ended' : 'active';
  const gone = (range: DateRange): DaysGone => {
    const days = daysOf(range).filter((day) => day < today);
    return { settled: days.filter((day) => day <= lastSettled), open: days.filter((day) => day > lastSettled) };
  };
  const carries = standing === 'active' && pace.rollover !== 'none' && pace.starts !== undefined;
  const oldest = addMonths(whole.from, -MONTHS_BACK_MAX);
  const [, first = oldest] = [monthStart(starts), oldest].toSorted();
  const ofMonths = (carries ? monthsBetween(first, whole.from) : []).flatMap((one): EarlierMonth[] => {
    const range = overlapOf(one, { from: starts, to: ends });
    if (range === undefined) return [];
    const days = gone(range);
    return [{ range, ...days, weeks: grouped(days.settled, weekOfMonth) }];
  });
  const ofMonth = standing === 'active' ? gone(month) : { settled: [], open: [] };
  return {
    today,
    standing,
    month,
    earlier: ofMonths,
    ...ofMonth,
    recent: daysOf({ from: addDays(lastSettled, 1 - LEARNED_DAYS), to: lastSettled }).filter(settled),
    // The newest day is needed on the first of a month, too: without it nothing is known of what is spent.
    needed: [...ofMonths.flatMap((one) => one.settled), ...ofMonth.settled, lastSettled],
  };
}

/** The sets of days whose costs are asked for, each as one: days that are looked at by themselves are alone. */
export function daySetsOf({ settled, open, recent, earlier }: PacePlan): (readonly CivilDate[])[] {
  const alone = new Set([...settled, ...open, ...recent, ...earlier.flatMap((month) => month.open)]);
  return [...[...alone].map((day) => [day]), ...earlier.flatMap(({ weeks }) => weeks)];
}

const FIRST = '0000-01-01' as CivilDate;
const LAST = '9999-12-31' as CivilDate;

function monthOf(day: CivilDate): DateRange {
  return { from: monthStart(day), to: endOfGrain('month', day) };
}

/** Those of a month begin on the days 1, 8, 15, 22 and 29. */
const weekOfMonth = (day: CivilDate): string => String(Math.floor((Number(day.slice(8)) - 1) / 7));

function monthsBetween(first: CivilDate, end: CivilDate): DateRange[] {
  const months: DateRange[] = [];
  for (let from = first; from < end; from = addMonths(from, 1)) months.push(monthOf(from));
  return months;
}
