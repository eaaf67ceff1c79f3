import {
  addDays,
  type CivilDate,
  type DateRange,
  daysOf,
  endOfGrain,
  monthStart,
  weekdayOf,
} from '../../domain/civil-date.ts';
import { sumOfKnown } from '../../domain/micros.ts';
import { add, multiply, type Rational, rational, roundHalfAway } from '../../domain/rational.ts';
import { type DayNumber, meanOnWeekday, weekdayMeansOf } from '../../rules/pacing/curve.ts';
import type { DayFacts, DaySums } from './report-facts.ts';

/** How many days back the run rate looks: each weekday four times. */
export const RATE_DAYS = 28;
/** With fewer complete days than a week nothing is said of the month's end. */
export const RATE_DAYS_MIN = 7;

/** The month of the newest complete day. Amounts in micros; undefined where it is not known. */
export interface Pacing {
  readonly month: DateRange;
  /** Days before it may be missing. */
  readonly newest: CivilDate;
  /** Days of the month up to the newest settled one, and those of them that are settled. */
  readonly daysGone: number;
  readonly daysSettled: number;
  readonly spent: bigint | undefined;
  /** The daily budget times the complete days, and times the days of the month. */
  readonly idealToDate: bigint | undefined;
  readonly idealOfMonth: bigint | undefined;
  /** What the month comes to if the days that are not complete cost what their weekday cost of late. */
  readonly projected: bigint | undefined;
}

/** Costs of complete days, by day. A day that is not complete is not asked for. */
export type CostOf = (date: CivilDate) => bigint | undefined;

export function newestSettled(days: readonly DayFacts[]): CivilDate | undefined {
  return days.findLast(({ state }) => state === 'settled')?.date;
}

export function paceOf(days: readonly DayFacts[], dailyMicros: bigint | undefined, costOf: CostOf): Pacing | undefined {
  const newest = newestSettled(days);
  if (newest === undefined) return undefined;
  const settled = new Set(days.filter(({ state }) => state === 'settled').map(({ date }) => date));
  const month = { from: monthStart(newest), to: endOfGrain('month', newest) };
  const ofMonth = daysOf(month);
  const settledOfMonth = ofMonth.filter((date) => settled.has(date));
  const spent = sumOfKnown(settledOfMonth.map(costOf));
  const open = ofMonth.filter((date) => !settled.has(date));
  const window = daysOf({ from: addDays(newest, 1 - RATE_DAYS), to: newest }).filter((date) => settled.has(date));
  const expected = open.length === 0 ? 0n : expectedOf(open, window, costOf);
  return {
    month,
    newest,
    daysGone: ofMonth.filter((date) => date <= newest).length,
    daysSettled: settledOfMonth.length,
    spent,
    idealToDate: dailyMicros === undefined ? undefined : dailyMicros * BigInt(settledOfMonth.length),
    idealOfMonth: dailyMicros === undefined ? undefined : dailyMicros * BigInt(ofMonth.length),
    projected: spent === undefined || expected === undefined ? undefined : spent + expected,
  };
}

/** What days will cost: each the mean of its weekday in the window, or of all days where its weekday is not in it. */
function expectedOf(days: readonly CivilDate[], window: readonly CivilDate[], costOf: CostOf): bigint | undefined {
  if (window.length < RATE_DAYS_MIN) return undefined;
  const known: DayNumber[] = [];
  for (const date of window) {
    const value = costOf(date);
    if (value === undefined) return undefined;
    known.push({ date, value });
  }
  const means = weekdayMeansOf(known);
  return roundHalfAway(days.reduce((sum, date) => add(sum, meanOnWeekday(date, means)), rational(0n)));
}

function meanOf(values: readonly (bigint | undefined)[]): Rational | undefined {
  const sum = sumOfKnown(values);
  return sum === undefined || values.length === 0 ? undefined : rational(sum, BigInt(values.length));
}

/** The mean of each weekday from Monday on, over the window of the run rate; undefined for a weekday that is not in it. */
export function weekdayMeans(days: readonly DayFacts[], metricOf: (day: DaySums) => bigint | undefined) {
  const until = newestSettled(days);
  if (until === undefined) return [];
  const from = addDays(until, 1 - RATE_DAYS);
  const window = days.filter(({ date, state }) => state === 'settled' && date >= from);
  return [1, 2, 3, 4, 5, 6, 7].map((weekday) => {
    const values = window.filter(({ date }) => weekdayOf(date) === weekday).map(metricOf);
    const mean = meanOf(values);
    return { weekday, days: values.length, mean: mean && roundHalfAway(mean) };
  });
}

/** A part of a whole in tenths of a percent, rounded; undefined where there is no whole. */
export function perMille(part: bigint | undefined, whole: bigint | undefined): bigint | undefined {
  if (part === undefined || whole === undefined || whole === 0n) return undefined;
  return roundHalfAway(multiply(rational(part, whole), rational(1000n)));
}

/** Micros per click, rounded to a micro; undefined without clicks. */
export function perClick({ costMicros, clicks }: DaySums): bigint | undefined {
  if (costMicros === undefined || clicks === undefined || clicks === 0n) return undefined;
  return roundHalfAway(rational(costMicros, clicks));
}
