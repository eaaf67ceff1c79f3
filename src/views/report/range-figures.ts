import { addDays, type CivilDate, type DateRange, daysBetween, daysOf } from '../../domain/civil-date.ts';
import { sumsWithin } from './movers.ts';
import { newestSettled, settledDates, sumOfDays } from './pace.ts';
import type { DayFacts, DaySums } from './report-facts.ts';

/** Complete days only. */
export interface RangeFigures {
  readonly until: CivilDate;
  /** Days until `until` that are not complete. */
  readonly gaps: number;
  readonly sums: DaySums;
  /** The equally long range directly before. Undefined unless all days of both ranges are complete. */
  readonly before: DaySums | undefined;
}

/** Undefined if the range has no complete day. */
export function rangeFigures(days: readonly DayFacts[], { from, to }: DateRange): RangeFigures | undefined {
  const known = days.filter(({ date, state }) => state === 'settled' && date >= from && date <= to);
  const until = newestSettled(known);
  if (until === undefined) return undefined;
  const length = daysBetween(from, until) + 1;
  const before = rangeBefore({ from, to: until });
  const settled = settledDates(days);
  const isComparable = daysOf({ from: before.from, to: until }).every((date) => settled.has(date));
  return {
    until,
    gaps: length - known.length,
    sums: sumOfDays(known),
    before: isComparable ? sumsWithin(new Map(days.map((day) => [day.date, day])), before) : undefined,
  };
}

export function rangeBefore({ from, to }: DateRange): DateRange {
  return { from: addDays(from, -(daysBetween(from, to) + 1)), to: addDays(from, -1) };
}
