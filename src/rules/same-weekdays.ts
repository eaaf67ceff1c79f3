import { addDays, type CivilDate } from '../domain/civil-date.ts';

/** What is known of an account's days where they are compared by weekday. */
export interface KnownDays {
  /** Days that are like no other; none where it is left out. */
  readonly holidays?: ReadonlySet<CivilDate>;
  /** Whether the table holds the day's final numbers; where it is left out, only days that have to be there are. */
  readonly settled?: (day: CivilDate) => boolean;
}

/**
 * The days of the same weekday in the weeks before `day`, oldest first. A holiday among them gives its place to a week before
 * them, as long as the table has that one: so there are fewer days where the history is short, and never more than `weeks`.
 */
export function sameWeekdays(weeks: number, day: CivilDate, { holidays, settled }: KnownDays): CivilDate[] {
  const days: CivilDate[] = [];
  for (let week = 1; week <= 2 * weeks && days.length < weeks; week += 1) {
    const one = addDays(day, -7 * week);
    if (holidays?.has(one)) continue;
    if (week <= weeks || settled?.(one)) days.unshift(one);
  }
  return days;
}
