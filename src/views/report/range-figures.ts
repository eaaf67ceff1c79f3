import { addDays, type CivilDate, type DateRange, daysBetween, daysOf } from '../../domain/civil-date.ts';
import { type ConversionLag, isArriving, type StillArriving, stillArriving } from '../../domain/still-arriving.ts';
import { sumsWithin } from './movers.ts';
import { newestSettled, settledDates, sumOfDays } from './pace.ts';
import type { DayFacts, DaySums } from './report-facts.ts';

/** For people who read the changes of a range. */
export const COMPARED_WORDS =
  'Change: until the newest complete day, against the equally long time before, if all days of both are complete.';

interface Compared {
  /** Number of days of `sums`. */
  readonly days: number;
  readonly sums: DaySums;
  /** The equally long range directly before. Undefined unless all days of both ranges are complete. */
  readonly before: DaySums | undefined;
}

/** Complete days only. `converted` is compared only if it has at least half of the days: fewer show no trend. */
export interface RangeFigures extends Compared {
  readonly until: CivilDate;
  /** Without the days whose conversions are still arriving. Undefined if there are no others. */
  readonly converted: Compared | undefined;
  readonly arriving: StillArriving | undefined;
}

/** Undefined if the range has no complete day. */
export function rangeFigures(
  days: readonly DayFacts[],
  { from, to }: DateRange,
  lag?: ConversionLag,
): RangeFigures | undefined {
  const known = days.filter(({ date, state }) => state === 'settled' && date >= from && date <= to);
  const until = newestSettled(known);
  if (until === undefined) return undefined;
  const convertedUntil = lag && newestSettled(known.filter(({ date }) => !isArriving(lag, date)));
  const converted = convertedUntil && compared(days, { from, to: convertedUntil });
  const isEnough = converted && 2 * converted.days >= known.length;
  const all = compared(days, { from, to: until });
  return {
    until,
    ...all,
    converted: lag === undefined ? all : converted && { ...converted, before: isEnough ? converted.before : undefined },
    arriving: lag && stillArriving(known, lag),
  };
}

function compared(days: readonly DayFacts[], range: DateRange): Compared {
  const before = rangeBefore(range);
  const settled = settledDates(days);
  const own = days.filter(({ date }) => settled.has(date) && date >= range.from && date <= range.to);
  const isComparable = daysOf({ from: before.from, to: range.to }).every((date) => settled.has(date));
  return {
    days: own.length,
    sums: sumOfDays(own),
    before: isComparable ? sumsWithin(new Map(days.map((day) => [day.date, day])), before) : undefined,
  };
}

export function rangeBefore({ from, to }: DateRange): DateRange {
  return { from: addDays(from, -(daysBetween(from, to) + 1)), to: addDays(from, -1) };
}
