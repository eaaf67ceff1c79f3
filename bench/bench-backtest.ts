import { type BacktestJob, TABLE_DAYS, TRIED_DAYS } from './backtest-job.ts';
import { interleave, medianOf, type Ratio, ratioOf } from './interleave.ts';
import type { Measurement } from './measurement.ts';
import { KEYWORDS, type RulesJob } from './rules-job.ts';
import { runChild } from './run-child.ts';
import { withDatabase } from './with-folder.ts';

export interface BacktestSizes {
  readonly runs: number;
  readonly campaigns: number;
}

export interface BacktestResults extends BacktestSizes {
  readonly days: number;
  /** Those of the days that are tried. */
  readonly rows: number;
  readonly keywords: number;
  /** Of the last day alone. */
  readonly day: Measurement;
  readonly year: Measurement;
  readonly yearByDay: Ratio;
}

/** Measures a year of a keyword rule against one day of it, which is what evaluating it once costs. */
export async function benchBacktest(folder: string, { runs, campaigns }: BacktestSizes): Promise<BacktestResults> {
  return withDatabase(folder, async (database) => {
    const fill: RulesJob = { database, campaigns, days: TABLE_DAYS };
    await runChild('fill-rules', fill);
    const job = (triedDays: number): BacktestJob => ({ database, campaigns, triedDays });
    await runChild('record-days', job(TRIED_DAYS));
    const trying = (days: number) => () => runChild<Measurement>('backtest', job(days));
    // Not counted: it brings the file into the machine's memory for both.
    await trying(1)();
    const rounds = await interleave('backtest', runs, trying(1), trying(TRIED_DAYS));
    return {
      ...{ runs, campaigns, days: TRIED_DAYS, keywords: campaigns * KEYWORDS },
      rows: campaigns * KEYWORDS * TRIED_DAYS,
      day: medianOf(rounds, ({ baseline }) => baseline),
      year: medianOf(rounds, ({ ours }) => ours),
      yearByDay: ratioOf(rounds, ({ baseline, ours }) => ours.seconds / baseline.seconds),
    };
  });
}
