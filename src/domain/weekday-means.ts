import { type CivilDate, weekdayOf } from './civil-date.ts';
import type { Rational } from './rational.ts';

/** A number of a day, such as what it cost in micros. */
export interface DayNumber {
  readonly date: CivilDate;
  readonly value: bigint;
}

/** The means of the weekdays among some days, as whole numbers of `d`-ths. */
export interface WeekdayMeans {
  /** Of all of the days; 0 without any. */
  readonly all: bigint;
  /** From Monday on; that of all where a weekday is not among the days. */
  readonly means: readonly bigint[];
  readonly d: bigint;
}

/** Of 28 days each weekday occurs one to four times: with a multiple of these counts the means are whole numbers. */
const MULTIPLE = 12n;

/** The mean of each weekday. Of at most four weeks it is exact. */
export function weekdayMeansOf(days: readonly DayNumber[]): WeekdayMeans {
  const week = [1, 2, 3, 4, 5, 6, 7].map(() => ({ sum: 0n, count: 0n }));
  for (const { date, value } of days) {
    const day = week[weekdayOf(date) - 1];
    if (day === undefined) continue;
    day.sum += value;
    day.count += 1n;
  }
  const total = week.reduce((sum, day) => sum + day.sum, 0n);
  const all = (total * MULTIPLE) / (BigInt(days.length) || 1n);
  return { all, means: week.map(({ sum, count }) => (count === 0n ? all : (sum * MULTIPLE) / count)), d: MULTIPLE };
}

export function meanOnWeekday(day: CivilDate, { means, d }: WeekdayMeans): Rational {
  return { n: means[weekdayOf(day) - 1] ?? 0n, d };
}
