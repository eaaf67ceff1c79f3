import type { CivilDate } from '../../src/domain/civil-date.ts';

/** Days of subjects, whose figures a rule reads. */
export interface Year {
  readonly days: readonly CivilDate[];
  readonly subjects: number;
  readonly figures: FigureAt;
  /** The figures with a change that begins on this day. */
  readonly changed: (change: Change, start: number) => FigureAt;
}

/**
 * A metric of a subject on a day, as known on the morning of `today`: days by their place in the year. Whole numbers, conversions
 * in millionths. Undefined where there is no row.
 */
export type FigureAt = (metric: string, subject: number, day: number, today: number) => number | undefined;

/** A drop or a rise that is put into the year. */
export interface Change {
  readonly metric: 'clicks' | 'cost_micros' | 'conversions';
  /** The share that is left: 0.5 is half, 2 is twice as much. */
  readonly times: number;
  readonly days: number;
  /** The same days of the week before change, too: history then says something wrong about the weekday. */
  readonly afterBadWeek?: boolean;
}

export function isChanged(day: number, start: number, { days, afterBadWeek = false }: Change): boolean {
  const isWithin = (from: number) => day >= from && day < from + days;
  return isWithin(start) || (afterBadWeek && isWithin(start - 7));
}
