import { addDays, type CivilDate, type DateRange, daysBetween, daysOf, nextDay } from '../../domain/civil-date.ts';
import { resolveWindow } from '../../gaql/check/date-window.ts';
import { daysAsked, isCuttable } from '../../gaql/check/query-for-range.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { hasDays } from '../../warehouse/query-table.ts';

/** Days read at once where a query can be cut: as many as the longest named period has. */
const SLICE_DAYS_MAX = 31;

/** A slice to be read. */
export interface SlicePlan {
  /** Undefined for a query that names none. */
  readonly days: DateRange | undefined;
  /** The days are the query's own window and nothing else: it may be sent as its file says it. */
  readonly isWindow: boolean;
}

/**
 * The slices that bring a query's table up to date for an account: the query's own window, settled or not, and before it
 * the days that an earlier run should have read and did not, or read before they were settled. Days that nobody ever
 * asked for are no holes: `settled` and `firstDay` are of the query as it is now.
 */
export function planSlices(
  query: QueryFile,
  today: CivilDate,
  known: { readonly firstDay: CivilDate | undefined; readonly settled: ReadonlySet<CivilDate> },
): SlicePlan[] {
  if (query.window === undefined) return [{ days: undefined, isWindow: true }];
  const window = resolveWindow(query.window, today);
  // A window without a day yet is an empty table, or nothing to do in one that keeps its days.
  if (window === undefined) return hasDays(query) ? [] : [{ days: undefined, isWindow: true }];
  if (!isCuttable(query)) return [{ days: window, isWindow: true }];
  const asked = daysAsked(query, window, today);
  const isMoving = query.window.kind !== 'fixed' && asked.length === daysOf(window).length;
  return cutDays([...(isMoving ? holesBefore(window.from, known) : []), ...asked]).map((days) => ({
    days,
    isWindow: isSame(days, window),
  }));
}

/** The slices of a range that was asked for in the place of the query's window. */
export function planRange(query: QueryFile, range: DateRange): SlicePlan[] {
  const ranges = isCuttable(query) ? cutDays(daysOf(range)) : [range];
  return ranges.map((days) => ({ days, isWindow: false }));
}

function isSame(a: DateRange, b: DateRange): boolean {
  return a.from === b.from && a.to === b.to;
}

function holesBefore(
  end: CivilDate,
  { firstDay, settled }: { readonly firstDay: CivilDate | undefined; readonly settled: ReadonlySet<CivilDate> },
): CivilDate[] {
  if (firstDay === undefined || firstDay >= end) return [];
  return daysOf({ from: firstDay, to: addDays(end, -1) }).filter((day) => !settled.has(day));
}

/** Days in ascending order as ranges: of days that follow each other, and of no more than may be read at once. */
export function cutDays(days: readonly CivilDate[]): DateRange[] {
  const ranges: { from: CivilDate; to: CivilDate }[] = [];
  let length = 0;
  for (const day of days) {
    const last = ranges.at(-1);
    if (last && length < SLICE_DAYS_MAX && nextDay(last.to) === day) {
      last.to = day;
      length += 1;
    } else {
      ranges.push({ from: day, to: day });
      length = 1;
    }
  }
  return ranges;
}

/** The two halves of a range, the earlier one not the shorter; undefined for a single day. */
export function halve({ from, to }: DateRange): readonly [DateRange, DateRange] | undefined {
  const days = daysBetween(from, to);
  if (days === 0) return undefined;
  const middle = addDays(from, Math.floor(days / 2));
  return [
    { from, to: middle },
    { from: addDays(middle, 1), to },
  ];
}
