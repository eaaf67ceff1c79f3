import { addDays, type CivilDate, type DateRange } from './civil-date.ts';

/** `other_question`: the day was read with an older query fingerprint. Rules treat such a day as missing. */
export type DayState = 'missing' | 'provisional' | 'settled' | 'other_question';

export interface DaysOfState extends DateRange {
  readonly state: DayState;
}

/**
 * The last day of the unbroken run of final days that starts at the first day read. Undefined if the first day read is
 * not final.
 */
export function completeUntil(days: readonly DaysOfState[]): CivilDate | undefined {
  const first = days.findIndex(({ state }) => state === 'settled' || state === 'provisional');
  if (first === -1 || days[first]?.state === 'provisional') return undefined;
  const gap = days.find(({ state }, index) => index > first && state !== 'settled');
  return gap === undefined ? days.at(-1)?.to : addDays(gap.from, -1);
}

export function allCompleteUntil(each: readonly (CivilDate | undefined)[]): CivilDate | undefined {
  return each.includes(undefined) ? undefined : each.toSorted()[0];
}
