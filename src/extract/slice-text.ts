import type { CivilDate, DateRange } from '../domain/civil-date.ts';
import { resolveWindow } from '../gaql/check/date-window.ts';
import { queryForDay } from '../gaql/check/query-for-day.ts';
import { isCuttable, queryForRange } from '../gaql/check/query-for-range.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { printCondition } from '../gaql/syntax/print-query.ts';

/**
 * The text to send for a slice on the account's `today`: as the file says it where that means these days today, with the
 * days written out otherwise. Undefined where the window holds no day, so that there are no rows. A slice that was
 * planned before midnight is thereby not shifted by a day when it is read after.
 */
export function sliceText(
  {
    queryFile,
    days,
    isWindow,
  }: { readonly queryFile: QueryFile; readonly days: DateRange | undefined; readonly isWindow: boolean },
  today: CivilDate,
): string | undefined {
  if (queryFile.window === undefined) return queryForDay(queryFile, today);
  const window = resolveWindow(queryFile.window, today);
  if (days === undefined) return window && queryForDay(queryFile, today);
  const same = window && window.from === days.from && window.to === days.to;
  if (isWindow && (same || !isCuttable(queryFile))) return queryForDay(queryFile, today);
  return queryForRange(queryFile, days);
}

/** Whether the service works out the days of the text by its own clock. */
export function namesPeriod(text: string, { tree }: QueryFile): boolean {
  return tree.where.some((condition) => condition.kind === 'during' && text.includes(printCondition(condition)));
}
