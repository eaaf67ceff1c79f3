import { addDays, type DateRange, isWholeMonth } from '../../../domain/civil-date.ts';
import { unreachable } from '../../../domain/errors.ts';
import { formatDigitsRounded, formatMoney, formatMoneyRounded } from '../../../domain/micros.ts';
import { formatPercent, formatRational, type Rational, rational, roundHalfAway } from '../../../domain/rational.ts';
import { counted } from '../../../domain/wording.ts';
import type { Rule } from '../rule.ts';
import { LEARNED_MIN } from './curve.ts';
import type { Curve, Pace, PaceRate, PaceReading } from './pace.ts';

export function paceText(
  { per, curve, band, rollover, starts, ends, months, weights, pauses }: Pace,
  currency: string | undefined,
): string {
  return [
    `curve ${curveText(curve)}`,
    `band ${bandText(band)}`,
    ...(rollover === 'none' ? [] : [`rollover ${rollover}`]),
    // The text of the change already contains the days of a flight.
    ...(starts === undefined || per === 'flight' ? [] : [`starts ${starts}`]),
    ...(ends === undefined || per === 'flight' ? [] : [`ends ${ends}`]),
    ...Array.from(months, ([month, amount]) => `${formatMoney(amount, currency)} in ${month}`),
    ...Array.from(weights, ([day, weight]) => `weight ${formatRational(weight, 6)} on ${day}`),
    ...pauses.map(({ from, to }) => `pause from ${from} to ${to}`),
  ].join(', ');
}

export function pacesOutside({ change }: Pick<Rule, 'change'>, { from, to }: DateRange): string | undefined {
  if (change?.kind !== 'pace') return undefined;
  const { starts, ends } = change.pace;
  if (starts !== undefined && starts > to) return `starts pacing on ${starts}, so it does nothing on these days`;
  return ends !== undefined && ends < from ? `paced until ${ends}, so it does nothing on these days` : undefined;
}

export function bandText({ low, high }: Pace['band']): string {
  return `${formatPercent(low, 6)} to ${formatPercent(high, 6)}`;
}

function curveText(curve: Curve): string {
  switch (curve.kind) {
    case 'even':
    case 'early':
    case 'late':
    case 'weekday':
      return curve.kind;
    case 'custom':
      return curve.weights.map((weight) => formatRational(weight, 6)).join(' ');
    default:
      return unreachable(curve);
  }
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

function periodWords(period: PaceReading['period']): string {
  const { from, to } = period;
  return isWholeMonth(period) ? `in ${MONTHS[Number(from.slice(5, 7)) - 1]}` : `from ${from} to ${to}`;
}

export function amountText(amount: Rational, currency: string | undefined): string {
  return formatMoneyRounded(roundHalfAway(amount), currency);
}

export const digitsText = (amount: Rational, currency: string | undefined): string =>
  formatDigitsRounded(roundHalfAway(amount), currency);

export function paceNumbers(reading: PaceReading): string {
  const { currency } = reading;
  const { today, band, target, carried, carriedMonths, spent, unsettled, idealToDate, budgeted, budgets, period } =
    reading;
  const digits = (amount: Rational) => digitsText(amount, currency);
  const from = counted(carriedMonths, 'earlier month');
  const over = carriedMonths === 0 ? '' : `, with ${digits(carried)} carried over from ${from}`;
  const open = unsettled.n === 0n ? '' : `, up to ${digits(unsettled)} on incomplete days`;
  const gone =
    today > period.from ? `${digits(spent)} of ${digits(idealToDate)} ideal to ${addDays(today, -1)}${open}, ` : '';
  const what = budgets.length > 1 ? "today's budgets" : "today's budget";
  const paced = target.n > 0n ? amountText(target, currency) : 'nothing';
  return `paced to ${paced} ${periodWords(period)}${over}: ${gone}${digits(budgeted)} with ${what}, expected ${bandText(band)}${curveWords(reading.curve)}`;
}

/** Adds the reason if the numbers do not explain the outcome. */
export function explainPace(reading: PaceReading): string {
  const { state, why, currency } = reading;
  if (state === 'not_started' || state === 'ended' || state === 'unknown') return why;
  const missed = shortfallText(reading, currency);
  return [
    paceNumbers(reading),
    ...(reading.rate === undefined ? [] : [rateText(shownRate(reading.rate))]),
    ...(reading.isBesideNumbers ? [why] : []),
    ...(missed === undefined ? [] : [missed]),
  ].join('; ');
}

/** Text such as "1 GBP = 1.17 EUR on 2026-11-28". A rate of the settings is "since" its day. */
export function rateText(rate: ShownRate): string {
  const { from, to, date, isFixed } = rate;
  return `1 ${from} = ${rate.rate} ${to} ${isFixed ? 'since' : 'on'} ${date}`;
}

/** A rate in decimal digits. */
export interface ShownRate extends Omit<PaceRate, 'rate'> {
  readonly rate: string;
}

/** Shows the rate as it was written, 1 EUR = 165 JPY, because the inverse would lose digits. */
export function shownRate({ from, to, rate, ...about }: PaceRate): ShownRate {
  const inverse = rational(rate.d, rate.n);
  const isExact = ({ n, d }: Rational) => (n * 1_000_000n) % d === 0n;
  if (isExact(rate) || !isExact(inverse)) return { ...about, from, to, rate: formatRational(rate, 6) };
  return { ...about, from: to, to: from, rate: formatRational(inverse, 6) };
}

const MISSED_BY = {
  ceiling: 'the ceiling is too low',
  unused: 'recent costs are below the budgets',
  day_limit: 'no day gets more than twice its share of the target',
};

export function shortfallText(
  { shortfall }: Pick<PaceReading, 'shortfall'>,
  currency: string | undefined,
): string | undefined {
  if (shortfall === undefined) return undefined;
  const { amount, reason } = shortfall;
  return `will miss the target by ${formatMoneyRounded(amount, currency)}: ${MISSED_BY[reason]}`;
}

export function curveWords(curve: PaceReading['curve']): string {
  if (curve.kind === 'even') return '';
  if (curve.kind === 'custom') return ', by weekday weights';
  if (curve.kind === 'early') return ', more on early days';
  if (curve.kind === 'late') return ', more on late days';
  const from = curve.learnedFrom ?? 0;
  return from < LEARNED_MIN
    ? `, evenly: ${from} of the last 28 days have costs, and the weekday curve needs ${LEARNED_MIN}`
    : ', by the weekdays of the last 28 days';
}

/** `whole` must be above zero. */
export function percentText(part: Rational, whole: Rational): string {
  return formatPercent({ n: part.n * whole.d, d: part.d * whole.n }, 0);
}
