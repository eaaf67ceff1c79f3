import {
  addDays,
  type CivilDate,
  type DateRange,
  daysOf,
  endOfGrain,
  monthStart,
  weekdayOf,
} from '../../domain/civil-date.ts';
import { DIVISOR_LEAST } from '../../domain/member.ts';
import { sumOfKnown } from '../../domain/micros.ts';
import { add, multiply, type Rational, rational, roundHalfAway } from '../../domain/rational.ts';
import { type ConversionLag, isArriving } from '../../domain/still-arriving.ts';
import { type DayNumber, meanOnWeekday, weekdayMeansOf } from '../../language/rules/pacing/curve.ts';
import type { DayFacts, DaySums } from './report-facts.ts';

export const RATE_DAYS = 28;
export const RATE_DAYS_MIN = 7;

/** Pacing in the month of the newest complete day. Amounts are in micros. */
export interface Pacing {
  readonly month: DateRange;
  readonly newest: CivilDate;
  readonly daysGone: number;
  readonly daysSettled: number;
  readonly spent: bigint | undefined;
  /** The daily budget times the days of the month. */
  readonly idealOfMonth: bigint | undefined;
  /** The spend of the complete days, plus the usual spend of all other days of the month. */
  readonly projected: bigint | undefined;
}

export type CostOf = (date: CivilDate) => bigint | undefined;

export function newestSettled(days: readonly DayFacts[]): CivilDate | undefined {
  return days.findLast(({ state }) => state === 'settled')?.date;
}

export function settledDates(days: readonly DayFacts[]): ReadonlySet<CivilDate> {
  return new Set(days.filter(({ state }) => state === 'settled').map(({ date }) => date));
}

export function sumOfDays(days: readonly DaySums[]): DaySums {
  return {
    costMicros: sumOfKnown(days.map(({ costMicros }) => costMicros)),
    clicks: sumOfKnown(days.map(({ clicks }) => clicks)),
    conversions: sumOfNumbers(days.map(({ conversions }) => conversions)),
    conversionsValue: sumOfNumbers(days.map(({ conversionsValue }) => conversionsValue)),
  };
}

/** Sums of the days whose conversions are complete, for CPA and ROAS. */
export function sumOfConverted(days: readonly DayFacts[], lag: ConversionLag | undefined): DaySums {
  return sumOfDays(lag === undefined ? days : days.filter(({ date }) => !isArriving(lag, date)));
}

function sumOfNumbers(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);
}

export function paceOf(days: readonly DayFacts[], dailyMicros: bigint | undefined, costOf: CostOf): Pacing | undefined {
  const newest = newestSettled(days);
  if (newest === undefined) return undefined;
  const settled = settledDates(days);
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
    idealOfMonth: dailyMicros === undefined ? undefined : dailyMicros * BigInt(ofMonth.length),
    projected: spent === undefined || expected === undefined ? undefined : spent + expected,
  };
}

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

/** Undefined after `newest`, and from the first incomplete day. */
export function cumulativeSpend(
  days: readonly DayFacts[],
  dates: readonly CivilDate[],
  newest: CivilDate,
): (bigint | undefined)[] {
  const byDay = new Map(days.map((day) => [day.date, day]));
  let sum: bigint | undefined = 0n;
  return dates.map((date) => {
    if (date > newest || sum === undefined) return undefined;
    const day = byDay.get(date);
    sum = day?.state === 'settled' ? sumOfKnown([sum, day.costMicros]) : undefined;
    return sum;
  });
}

function meanOf(values: readonly (bigint | undefined)[]): Rational | undefined {
  const sum = sumOfKnown(values);
  return sum === undefined || values.length === 0 ? undefined : rational(sum, BigInt(values.length));
}

/** The first value is the mean of Monday. */
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

/** In tenths of a percent, rounded. Has the sign of `part`, because refunds can make `whole` negative. */
export function perMille(part: bigint | undefined, whole: bigint | undefined): bigint | undefined {
  if (part === undefined || whole === undefined || whole === 0n) return undefined;
  return roundHalfAway(multiply(rational(part, whole < 0n ? -whole : whole), rational(1000n)));
}

/** In micros, rounded. Undefined without conversions, or if a part is below zero. So are the other rates. */
export function perConversion({ costMicros = -1n, conversions = 0 }: DaySums): bigint | undefined {
  if (costMicros < 0n || conversions < DIVISOR_LEAST) return undefined;
  return BigInt(Math.round(Number(costMicros) / conversions));
}

/** Return on ad spend. Undefined without cost. */
export function returnOnSpend({ costMicros = 0n, conversionsValue = -1 }: DaySums): number | undefined {
  if (costMicros <= 0n || conversionsValue < 0) return undefined;
  return (conversionsValue * 1e6) / Number(costMicros);
}

/** In micros, rounded. Undefined without clicks. */
export function perClick({ costMicros = -1n, clicks = 0n }: DaySums): bigint | undefined {
  if (costMicros < 0n || clicks <= 0n) return undefined;
  return roundHalfAway(rational(costMicros, clicks));
}
