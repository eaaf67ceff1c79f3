import { isWholeMonth } from '../domain/civil-date.ts';
import { roundHalfAway } from '../domain/rational.ts';
import type { PacingTarget } from '../language/results/report-result.ts';
import { LEARNED_MIN } from '../language/rules/pacing/curve.ts';
import type { DayChart } from './html/chart/day-chart.ts';
import { costText, drawnMoney, monthText } from './html/wording.ts';
import { dayWords } from './pacing.ts';
import { shortDigits } from './report/month-words.ts';
import { isPacedNow, paceDays } from './report/pacing-words.ts';

/** Those that are paced now. Targets that need a change come first. */
export function chartedTargets(targets: readonly PacingTarget[]): PacingTarget[] {
  const rankOf = ({ decisions }: PacingTarget) => (decisions.length > 0 ? 0 : 1);
  return targets.filter(({ reading }) => isPacedNow(reading)).toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Cumulative amounts in currency units. */
export function paceChart({ rule, subject, currency, reading }: PacingTarget): DayChart {
  const days = paceDays(reading);
  const isOpen = days.some(({ projectedSum }) => projectedSum !== undefined);
  return {
    title: `${rule}, ${subject}`,
    summary: paceSummary(reading, currency),
    unit: currency ?? 'currency unknown',
    x: days.map(({ date }) => date),
    series: [
      {
        name: 'spent',
        ...drawnMoney(
          days.map(({ spentSum }) => spentSum),
          currency,
        ),
      },
      {
        name: 'ideal',
        ...drawnMoney(
          days.map(({ idealSum }) => idealSum),
          currency,
        ),
        dashed: true,
      },
      ...(isOpen
        ? [
            {
              name: 'projected',
              ...drawnMoney(
                days.map(({ projectedSum }) => projectedSum),
                currency,
              ),
              dashed: true,
              end: { value: shortDigits(days.at(-1)?.projectedSum, currency), word: 'projected' },
            },
          ]
        : []),
    ],
  };
}

/** A terminal has no room for the fourth line. */
export function targetChart(target: PacingTarget): DayChart {
  const { currency, reading } = target;
  const drawing = paceChart(target);
  const amount = roundHalfAway(reading.target);
  const line = {
    name: 'target',
    ...drawnMoney(
      drawing.x.map(() => amount),
      currency,
    ),
    dashed: true,
    end: { value: shortDigits(amount, currency), word: 'target' },
  };
  return { ...drawing, series: [...drawing.series, line] };
}

function paceSummary(reading: PacingTarget['reading'], currency: string | undefined): string {
  const { newestSettled, spent, idealToDate, projected, target, curve } = reading;
  const money = (amount: PacingTarget['reading']['spent']) => costText(roundHalfAway(amount), currency);
  return `${periodText(reading)}, cumulative. Spent${newestSettled === undefined ? '' : ` until ${newestSettled}`}: ${money(spent)}. Ideal to date: ${money(idealToDate)}. Projected: ${money(projected)}. Target: ${money(target)}. The daily ideal ${curveWords(curve)}.`;
}

function periodText({ per, period }: PacingTarget['reading']): string {
  const { from, to } = period;
  if (isWholeMonth(period)) return monthText(from);
  const days = `${from} to ${to}, ${dayWords(per, period)}`;
  return per === 'flight' ? days : `${monthText(from)} (${days})`;
}

const CURVES = {
  even: 'is the same for each day',
  weekday: 'follows recent costs by weekday',
  early: 'falls from day to day',
  late: 'rises from day to day',
  custom: 'follows the rule’s curve',
} as const;

function curveWords({ kind, learnedFrom }: PacingTarget['reading']['curve']): string {
  if (kind !== 'weekday' || learnedFrom === undefined || learnedFrom >= LEARNED_MIN) return CURVES[kind];
  return `is the same for each day. Days with costs: ${learnedFrom} of the last 28. A weekday curve needs ${LEARNED_MIN}`;
}
