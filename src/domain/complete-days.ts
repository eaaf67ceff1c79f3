import { addDays, type CivilDate, type DateRange, instantOf } from './civil-date.ts';

/** `other_question` means that the query has changed since the day was read. */
export type DayState = 'missing' | 'provisional' | 'settled' | 'other_question';

export interface DaysOfState extends DateRange {
  readonly state: DayState;
}

/** All days from the first day read up to the returned day are final. Undefined if the first day read is not final. */
export function completeUntil(days: readonly DaysOfState[]): CivilDate | undefined {
  const first = days.findIndex(({ state }) => state === 'settled' || state === 'provisional');
  if (first === -1 || days[first]?.state === 'provisional') return undefined;
  const gap = days.find(({ state }, index) => index > first && state !== 'settled');
  return gap === undefined ? days.at(-1)?.to : addDays(gap.from, -1);
}

export interface DayCalendar {
  /** An IANA name such as Europe/Berlin. */
  readonly timeZone: string | undefined;
  /** A time such as "03:00" on the next day, when all numbers of a day are available. */
  readonly closesAt: string;
  /** Number of further days until the numbers count as final. */
  readonly settleDays: number;
}

/** Used if the time zone is unknown, because days end last in this time zone. */
export const LAST_TIME_ZONE = 'Etc/GMT+12';

/** In milliseconds since 1970: the time from which a read returns final numbers. */
export function settledFromMs(
  date: CivilDate,
  { timeZone = LAST_TIME_ZONE, closesAt, settleDays }: DayCalendar,
): number {
  const key = `${date} ${settleDays} ${closesAt} ${timeZone}`;
  const known = settledTimes.get(key);
  if (known !== undefined) return known;
  const time = instantOf(addDays(date, 1 + settleDays), closesAt, timeZone);
  if (settledTimes.size < SETTLED_TIMES_MAX) settledTimes.set(key, time);
  return time;
}

/** Keeps results in memory, because many accounts need the same days. */
const settledTimes = new Map<string, number>();
const SETTLED_TIMES_MAX = 50_000;

export function allCompleteUntil(each: readonly (CivilDate | undefined)[]): CivilDate | undefined {
  return each.includes(undefined) ? undefined : each.toSorted()[0];
}
