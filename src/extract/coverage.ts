import { addDays, type CivilDate, type DateRange, startOfDayMs } from '../domain/civil-date.ts';
import type { DoneSlice } from '../store/slice-table.ts';

/** The days of the range that no slice holds as a whole day: one that was read only while it lasted is incomplete. */
export function incompleteDays(days: DateRange, slices: readonly DoneSlice[], timeZone: string): CivilDate[] {
  const incomplete: CivilDate[] = [];
  for (let day = days.from; day <= days.to; day = addDays(day, 1)) {
    const endMs = startOfDayMs(addDays(day, 1), timeZone);
    const complete = slices.some(({ from, to, startedMs }) => from <= day && day <= to && startedMs >= endMs);
    if (!complete) incomplete.push(day);
  }
  return incomplete;
}
