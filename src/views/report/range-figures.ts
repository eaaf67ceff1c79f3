import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { type ConversionLag, isArriving, type StillArriving, stillArriving } from '../../domain/still-arriving.ts';
import { type Comparison, comparedRange, lengthOf, PREVIOUS } from './comparison.ts';
import { newestSettled, sumOfDays } from './pace.ts';
import type { DayFacts, DaySums, PeriodSums } from './report-facts.ts';

/** The days that are compared with. */
interface Against extends DateRange {
  /** Number of complete days, and of days whose conversions are still arriving. */
  readonly complete: number;
  readonly arriving: number;
}

interface Compared {
  /** Number of days of `sums`. */
  readonly days: number;
  readonly sums: DaySums;
  /** Undefined without a comparison. */
  readonly against: Against | undefined;
  /** Undefined unless all days of both ranges are complete. */
  readonly before: PeriodSums | undefined;
}

/** Complete days only. `converted` is compared only if it has at least half of the days: fewer show no trend. */
export interface RangeFigures extends Compared {
  readonly until: CivilDate;
  /** Without the days whose conversions are still arriving. Undefined if there are no others. */
  readonly converted: Compared | undefined;
  readonly arriving: StillArriving | undefined;
}

/** Undefined if the range has no complete day. */
export function rangeFigures(
  days: readonly DayFacts[],
  range: DateRange,
  lag?: ConversionLag,
  comparison: Comparison = PREVIOUS,
): RangeFigures | undefined {
  const settled = days.filter(({ state }) => state === 'settled');
  const known = within(settled, range);
  const until = newestSettled(known);
  if (until === undefined) return undefined;
  const compared = (to: CivilDate): Compared => {
    const own = known.filter(({ date }) => date <= to);
    const asked = comparedRange(comparison, range, to);
    const others = asked === undefined ? [] : within(settled, asked);
    const isComparable =
      asked !== undefined && own.length === lengthOf({ from: range.from, to }) && others.length === lengthOf(asked);
    return {
      days: own.length,
      sums: sumOfDays(own),
      against: asked && {
        ...asked,
        complete: others.length,
        arriving: lag === undefined ? 0 : others.filter(({ date }) => isArriving(lag, date)).length,
      },
      before: isComparable ? { ...sumOfDays(others), days: others.length } : undefined,
    };
  };
  const convertedUntil = lag && newestSettled(known.filter(({ date }) => !isArriving(lag, date)));
  const converted = convertedUntil && compared(convertedUntil);
  const isEnough = converted && 2 * converted.days >= known.length && converted.against?.arriving === 0;
  const all = compared(until);
  return {
    until,
    ...all,
    converted: lag === undefined ? all : converted && { ...converted, before: isEnough ? converted.before : undefined },
    arriving: lag && stillArriving(known, lag),
  };
}

function within(days: readonly DayFacts[], { from, to }: DateRange): DayFacts[] {
  return days.filter(({ date }) => date >= from && date <= to);
}
