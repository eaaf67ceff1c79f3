import { interleave, medianOf, type Ratio, ratioOf } from './interleave.ts';
import type { Measurement } from './measurement.ts';
import { runChild } from './run-child.ts';
import type { SimulateJob } from './simulate-job.ts';

export interface SimulateSizes {
  readonly runs: number;
  readonly days: number;
  readonly campaigns: number;
}

export interface SimulateResults extends SimulateSizes {
  /** The same market without a rule: what making its days costs. */
  readonly market: Measurement;
  readonly rules: Measurement;
  readonly rulesByMarket: Ratio;
}

/** Measures a simulation with the shipped rules against the same market without any. */
export async function benchSimulate(sizes: SimulateSizes): Promise<SimulateResults> {
  const { runs, days, campaigns } = sizes;
  const run = (withRules: boolean) => () => {
    const job: SimulateJob = { days, campaigns, withRules };
    return runChild<Measurement>('simulate', job);
  };
  const rounds = await interleave('simulate', runs, run(false), run(true));
  return {
    ...sizes,
    market: medianOf(rounds, ({ baseline }) => baseline),
    rules: medianOf(rounds, ({ ours }) => ours),
    rulesByMarket: ratioOf(rounds, ({ baseline, ours }) => ours.seconds / baseline.seconds),
  };
}
