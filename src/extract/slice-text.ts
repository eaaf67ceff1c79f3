import type { CivilDate, DateRange } from '../domain/civil-date.ts';
import { resolveWindow } from '../gaql/check/date-window.ts';
import { queryForDay } from '../gaql/check/query-for-day.ts';
import { fixedToItsWindow, queryForRange } from '../gaql/check/query-for-range.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { printCondition } from '../gaql/syntax/print-query.ts';

/** What is to be read. */
export interface SliceDays {
  readonly queryFile: QueryFile;
  readonly days: DateRange | undefined;
  /** The days are the query's own window, which may be sent as the file says it. */
  readonly isWindow: boolean;
}

/** What is sent, and the days that it asks for. Without a text there is nothing to ask for: the window holds no day. */
export interface SliceText {
  readonly text: string | undefined;
  readonly days: DateRange | undefined;
}

/**
 * The text for a slice on the account's `today`: as the file says it where that means these days today, with the days
 * written out otherwise, so that a slice which was planned before midnight is not shifted when it is read after. A query
 * that can only be asked as it is, because of a LIMIT, is asked for the days that it means today. Where the account's
 * calendar is not known the service's may be another, so the days are always written out, as a list.
 */
export function sliceText({ queryFile, days, isWindow }: SliceDays, today: CivilDate, calendarKnown = true): SliceText {
  if (queryFile.window === undefined) return { text: queryForDay(queryFile, today), days };
  const window = resolveWindow(queryFile.window, today);
  const asItIs = { text: window && queryForDay(queryFile, today), days: window };
  if (days === undefined || fixedToItsWindow(queryFile) !== undefined)
    return days === undefined ? { ...asItIs, days } : asItIs;
  const means = window && window.from === days.from && window.to === days.to;
  if (isWindow && means && (calendarKnown || !namesPeriod(queryFile))) return asItIs;
  return { text: queryForRange(queryFile, days, !calendarKnown), days };
}

/** Whether the service works out the days of the text by its own clock. */
export function namesPeriod({ tree }: QueryFile, text?: string): boolean {
  return tree.where.some(
    (condition) => condition.kind === 'during' && (text === undefined || text.includes(printCondition(condition))),
  );
}
