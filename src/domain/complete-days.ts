import { addDays, type CivilDate, type DateRange } from './civil-date.ts';

/** Other question: read by what the query asked before it was changed, which is as good as missing to rules. */
export type DayState = 'missing' | 'provisional' | 'settled' | 'other_question';

/** Days that follow each other in the same state. */
export interface DaysOfState extends DateRange {
  readonly state: DayState;
}

/** The last day before the first gap. `days`: in order, without holes. Undefined where the first day read is not final. */
export function completeUntil(days: readonly DaysOfState[]): CivilDate | undefined {
  const first = days.findIndex(({ state }) => state === 'settled' || state === 'provisional');
  if (first === -1 || days[first]?.state === 'provisional') return undefined;
  const gap = days.find(({ state }, index) => index > first && state !== 'settled');
  return gap === undefined ? days.at(-1)?.to : addDays(gap.from, -1);
}

/** The day up to which all of these are complete: the earliest; undefined where one has no complete day. */
export function allCompleteUntil(each: readonly (CivilDate | undefined)[]): CivilDate | undefined {
  return each.includes(undefined) ? undefined : each.toSorted()[0];
}
