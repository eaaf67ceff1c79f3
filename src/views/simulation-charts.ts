import type { SimulationResult } from '../language/results/simulation-result.ts';
import type { ChartOptions } from './html/charts.ts';
import { costText, drawnAmount, shortDay } from './html/wording.ts';
import type { TerminalChart } from './text/terminal-chart.ts';

export type Chart = Omit<ChartOptions, 'table' | 'wide'>;

export function sidesChart(
  { byDay }: SimulationResult,
  about: Pick<Chart, 'title' | 'summary' | 'unit'>,
  valuesOf: (side: 'with' | 'without') => (number | undefined)[],
  stepped = false,
): Chart {
  return {
    ...about,
    kind: 'line',
    x: byDay.map(({ date }) => shortDay(date)),
    series: [
      { name: 'with the rules', values: valuesOf('with'), stepped },
      { name: 'without', values: valuesOf('without'), stepped, dashed: true },
    ],
  };
}

export function spendChart(result: SimulationResult): Chart {
  const { byDay, currency, with: ruled, without } = result;
  const about = {
    title: 'Spend per day',
    summary: `${costText(ruled.spendMicros, currency)} with the rules, ${costText(without.spendMicros, currency)} without.`,
    unit: currency,
  };
  return sidesChart(result, about, (side) => byDay.map((day) => drawnAmount(day[side].spendMicros)));
}

const WEEK = 7;
const DAYS_MAX = 35;

/** Weekly means hide differences between weekdays. */
export function shortSpendChart(result: SimulationResult): TerminalChart {
  const { byDay } = result;
  const daily = spendChart(result);
  if (byDay.length <= DAYS_MAX) return { ...daily, x: byDay.map(({ date }) => date) };
  const starts = byDay.flatMap((_, index) => ((byDay.length - index) % WEEK === 0 ? [index] : []));
  const meanFrom = (start: number, side: 'with' | 'without') =>
    byDay.slice(start, start + WEEK).reduce((sum, day) => sum + day[side].spendMicros, 0n) / BigInt(WEEK);
  const { series } = sidesChart(result, daily, (side) => starts.map((start) => drawnAmount(meanFrom(start, side))));
  return {
    title: 'Spend per day, mean of 7 days',
    unit: daily.unit,
    x: starts.map((start) => byDay[start]?.date ?? ''),
    series,
  };
}
