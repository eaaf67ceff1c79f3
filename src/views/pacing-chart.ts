import type { PacingTarget } from '../language/results/report-result.ts';
import { drawnAmount } from './html/wording.ts';
import { type PaceDay, paceDays } from './report/pacing-words.ts';
import type { TerminalChart } from './text/terminal-chart.ts';

export function byNeed(targets: readonly PacingTarget[]): PacingTarget[] {
  const rankOf = ({ decisions }: PacingTarget) => (decisions.length > 0 ? 0 : 1);
  return targets.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Cumulative amounts in currency units. */
export function paceSeries(days: readonly PaceDay[]) {
  const isOpen = days.some(({ projectedSum }) => projectedSum !== undefined);
  return [
    { name: 'spent', values: days.map(({ spentSum }) => drawnAmount(spentSum)) },
    { name: 'ideal', values: days.map(({ idealSum }) => drawnAmount(idealSum)), dashed: true },
    ...(isOpen
      ? [{ name: 'projected', values: days.map(({ projectedSum }) => drawnAmount(projectedSum)), dashed: true }]
      : []),
  ];
}

export function paceChart({ rule, subject, currency, reading }: PacingTarget): TerminalChart {
  const days = paceDays(reading);
  return {
    title: `${rule}, ${subject}`,
    unit: currency ?? 'currency unknown',
    x: days.map(({ date }) => date),
    series: paceSeries(days),
  };
}
