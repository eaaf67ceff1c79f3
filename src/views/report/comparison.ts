import { addDays, addMonths, type CivilDate, type DateRange, daysBetween, overlapOf } from '../../domain/civil-date.ts';
import { unreachable } from '../../domain/errors.ts';
import { counted, rangeText } from '../html/wording.ts';

/** The days that a range is compared with. */
export type Comparison =
  | { readonly kind: 'previous' | 'year' | 'none' }
  | { readonly kind: 'range'; readonly range: DateRange };

export const PREVIOUS: Comparison = { kind: 'previous' };

export function lengthOf({ from, to }: DateRange): number {
  return daysBetween(from, to) + 1;
}

/** For the part of a range until a day. An equally long chosen range is cut, too. Undefined for no comparison. */
export function comparedRange(comparison: Comparison, range: DateRange, until = range.to): DateRange | undefined {
  const { from } = range;
  switch (comparison.kind) {
    case 'none':
      return undefined;
    case 'previous':
      return { from: addDays(from, -lengthOf({ from, to: until })), to: addDays(from, -1) };
    case 'year':
      return { from: yearBefore(from), to: yearBefore(until) };
    case 'range': {
      const { range: chosen } = comparison;
      if (lengthOf(chosen) !== lengthOf(range)) return chosen;
      return { from: chosen.from, to: addDays(chosen.from, daysBetween(from, until)) };
    }
    default:
      return unreachable(comparison);
  }
}

/** 28 February stands for 29 February. */
const yearBefore = (date: CivilDate) => addMonths(date, -12);

/** The day of a compared range at the place of a day. Undefined beyond its end. */
export function comparedDay(
  comparison: Comparison,
  { from }: DateRange,
  against: DateRange,
  date: CivilDate,
): CivilDate | undefined {
  const day = comparison.kind === 'year' ? yearBefore(date) : addDays(against.from, daysBetween(from, date));
  return day > against.to ? undefined : day;
}

/** Sums of other numbers of days are compared as averages per day. Undefined if it is unknown, or nothing was before. */
export function changeShare(
  now: bigint | number | undefined,
  days: number,
  before: bigint | number | undefined,
  daysBefore: number,
): number | undefined {
  const base = Number(before) * (days === daysBefore ? 1 : days / daysBefore);
  return now === undefined || before === undefined || base === 0 ? undefined : (Number(now) - base) / Math.abs(base);
}

/** Such as "+12%". */
export function changeText(share: number | undefined): string | undefined {
  if (share === undefined) return undefined;
  const words = Math.abs(share).toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 0 });
  return `${words === '0%' ? '' : share > 0 ? '+' : '−'}${words}`;
}

/** For people who read the changes of a range. Without `comparison`, nobody chose one. */
export const COMPARED_WORDS =
  'Change: until the newest complete day, against the equally long time before, if all days of both are complete.';

export function comparedWords(comparison: Comparison | undefined, range: DateRange): string {
  const against = comparedRange(comparison ?? PREVIOUS, range);
  if (comparison === undefined) return COMPARED_WORDS;
  if (against === undefined) return 'Nothing is compared.';
  const shared = overlapOf(range, against);
  const own = lengthOf(range);
  const other = lengthOf(against);
  const words = [
    comparison.kind === 'previous'
      ? COMPARED_WORDS
      : `Change: against ${rangeText(against)}, if all days of both are complete.`,
  ];
  if (comparison.kind === 'year')
    words.push('The dates are the same, the weekdays are not.', ...leapWords(range, against));
  if (own !== other) words.push(`${counted(own, 'day')} against ${other}: sums are compared as averages per day.`);
  if (shared) words.push(`${counted(lengthOf(shared), 'day')} in both.`);
  return words.join(' ');
}

function leapWords(range: DateRange, against: DateRange): string[] {
  if (lengthOf(range) !== lengthOf(against)) return ['Only one of them has 29 February.'];
  const hasLeapEnd = [range.from, range.to].some((day) => day.endsWith('-02-29'));
  return hasLeapEnd ? ['28 February stands for 29 February.'] : [];
}
