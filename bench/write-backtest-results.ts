import type { BacktestResults } from './bench-backtest.ts';
import { whole } from './markdown.ts';
import { describeRuns, type PartReport, renderPipelines } from './part-report.ts';

/** No target of the page: what a year costs by what a day does. */
export function reportBacktest({ runs, rows, days, keywords, day, year, yearByDay }: BacktestResults): PartReport {
  const table = renderPipelines([
    { name: 'A: one day of it', rows: rows / days, measurement: day, ratio: '1' },
    {
      ...{ name: `a back-test of ${days} days`, rows, measurement: year },
      ...{ ratio: `${yearByDay.median.toFixed(1)} × A`, rounds: yearByDay },
    },
  ]);
  return {
    figures: `${table}\n\n${describeRuns(runs)} The rule is for each of ${whole(keywords)} keywords.`,
    targets: [],
  };
}
