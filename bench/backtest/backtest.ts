import { describeRuns, type PartReport, renderPipelines, whole } from '../figures.ts';
import { withDatabase } from '../folders.ts';
import { compareMeasured, type Measurement } from '../measurement.ts';
import { runChild } from '../processes.ts';
import { KEYWORDS, type RulesJob } from '../rules/rules-job.ts';
import { type BacktestJob, TABLE_DAYS, TRIED_DAYS } from './backtest-job.ts';

export interface BacktestSizes {
  readonly runs: number;
  readonly campaigns: number;
}

/** Measures a year of a keyword rule against one day of it, which is what evaluating it once costs. No target of the page. */
export async function benchBacktest(folder: string, { runs, campaigns }: BacktestSizes): Promise<PartReport> {
  const { baseline, ours, ratio } = await withDatabase(folder, async (database) => {
    const fill: RulesJob = { database, campaigns, days: TABLE_DAYS };
    await runChild('rules/fill-rules', fill);
    const job = (triedDays: number): BacktestJob => ({ database, campaigns, triedDays });
    await runChild('backtest/record-days', job(TRIED_DAYS));
    const trying = (days: number) => () => runChild<Measurement>('backtest/backtest', job(days));
    // Not counted: it brings the file into the machine's memory for both.
    await trying(1)();
    return compareMeasured('backtest', runs, trying(1), trying(TRIED_DAYS));
  });
  const keywords = campaigns * KEYWORDS;
  const table = renderPipelines([
    { name: 'A: one day of the backtest', rows: keywords, measurement: baseline, ratio: '1' },
    {
      name: `a backtest of ${TRIED_DAYS} days`,
      rows: keywords * TRIED_DAYS,
      measurement: ours,
      ratio: `${ratio.median.toFixed(1)} × A`,
      rounds: ratio,
    },
  ]);
  return {
    figures: `${table}\n\n${describeRuns(runs)} The rule covers ${whole(keywords)} keywords.`,
    targets: [],
  };
}
