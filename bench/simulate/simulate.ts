import { describeRuns, type PartReport, renderTable, whole, withSpread } from '../figures.ts';
import { compareMeasured, type Measurement } from '../measurement.ts';
import { runChild } from '../processes.ts';

/** What the child of the simulation's part is told. */
export interface SimulateJob {
  readonly days: number;
  readonly campaigns: number;
  /** False for the market alone: what making its days costs. */
  readonly withRules: boolean;
}

export interface SimulateSizes {
  readonly runs: number;
  readonly days: number;
  readonly campaigns: number;
}

/** Measures a simulation with the shipped rules against the same market without any. No target of the page. */
export async function benchSimulate({ runs, days, campaigns }: SimulateSizes): Promise<PartReport> {
  const run = (withRules: boolean) => () => {
    const job: SimulateJob = { days, campaigns, withRules };
    return runChild<Measurement>('simulate/simulate', job);
  };
  const { baseline, ours, ratio } = await compareMeasured('simulate', runs, run(false), run(true));
  const line = (name: string, { seconds, peakMiB }: Measurement, times: string) => [
    name,
    seconds.toFixed(2),
    whole(peakMiB),
    times,
  ];
  const table = renderTable(
    ['', 'seconds', 'peak MiB', 'ratio'],
    [
      line('A: the market alone', baseline, '1'),
      line('with the shipped rules', ours, withSpread(`${ratio.median.toFixed(2)} × A`, ratio)),
    ],
  );
  const size = `${whole(days)} days of ${whole(campaigns)} campaigns, after 90 days of history.`;
  return { figures: `${table}\n\n${describeRuns(runs)} ${size}`, targets: [] };
}
