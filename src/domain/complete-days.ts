import { addDays, type CivilDate, type DateRange } from './civil-date.ts';

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

export function allCompleteUntil(each: readonly (CivilDate | undefined)[]): CivilDate | undefined {
  return each.includes(undefined) ? undefined : each.toSorted()[0];
}
