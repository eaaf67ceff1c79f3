import type { CivilDate } from './civil-date.ts';

/** The service counts conversions days after their clicks. So the youngest days of a range still have too few. */
export interface StillArriving {
  /** The newest day whose conversions are complete. */
  readonly completeUntil: CivilDate | undefined;
  /** Number of days after it. */
  readonly days: number;
  /** Conversions of these days so far. */
  readonly soFar: number | undefined;
  /** How many more are usual. Below zero if the service usually takes some back. Undefined unless readings taught it. */
  readonly more: number | undefined;
  /** Number of days that were read again and taught `more`. */
  readonly taughtBy: number;
  /** Days until a day's conversions are complete, by the settings. */
  readonly windowDays: number;
}

/** Days that had the same sums from one age, in days, until another. `gained` is what they have more by now. */
export interface LagStep {
  readonly from: bigint;
  /** Exclusive. Undefined if the sums did not change later. */
  readonly until: bigint | undefined;
  readonly days: bigint;
  readonly gained: number;
}

/** Knowledge about an account's late conversions in one table. */
export interface ConversionLag {
  readonly completeUntil: CivilDate | undefined;
  /** By day after `completeUntil`: its age in days when it was last read. */
  readonly ages: ReadonlyMap<CivilDate, number>;
  readonly steps: readonly LagStep[];
  readonly windowDays: number;
}

interface ConversionDay {
  readonly date: CivilDate;
  readonly conversions?: number | undefined;
}

/** With fewer days, a single good or bad day would pass for what is usual. */
const TAUGHT_LEAST = 28;

export const isArriving = ({ completeUntil }: ConversionLag, date: CivilDate): boolean =>
  completeUntil === undefined || date > completeUntil;

/** Undefined if all days are complete. */
export function stillArriving(days: readonly ConversionDay[], lag: ConversionLag): StillArriving | undefined {
  const young = days.filter(({ date }) => isArriving(lag, date));
  if (young.length === 0) return undefined;
  const usual = young.map(({ date }) => usualAt(lag, lag.ages.get(date)));
  return {
    completeUntil: lag.completeUntil,
    days: young.length,
    soFar: sumOf(young.map(({ conversions }) => conversions)),
    more: sumOf(usual.map((one) => one?.more)),
    taughtBy: Math.min(...usual.map((one) => one?.taughtBy ?? 0)),
    windowDays: lag.windowDays,
  };
}

function usualAt({ steps }: ConversionLag, age: number | undefined) {
  if (age === undefined) return undefined;
  const own = steps.filter(({ from, until }) => from <= age && (until === undefined || age < until));
  const taughtBy = own.reduce((sum, { days }) => sum + Number(days), 0);
  if (taughtBy < TAUGHT_LEAST) return undefined;
  return { taughtBy, more: own.reduce((sum, { gained }) => sum + gained, 0) / taughtBy };
}

/** The sum over several accounts. Undefined if all days of all accounts are complete. */
export function sumOfArriving(all: readonly (StillArriving | undefined)[]): StillArriving | undefined {
  const own = all.filter((one) => one !== undefined);
  if (own.length === 0) return undefined;
  const untils = own.map(({ completeUntil }) => completeUntil);
  return {
    completeUntil: untils.every((one) => one !== undefined) ? untils.sort()[0] : undefined,
    days: Math.max(...own.map(({ days }) => days)),
    soFar: sumOf(own.map(({ soFar }) => soFar)),
    more: sumOf(own.map(({ more }) => more)),
    taughtBy: Math.min(...own.map(({ taughtBy }) => taughtBy)),
    windowDays: Math.max(...own.map(({ windowDays }) => windowDays)),
  };
}

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);
}
