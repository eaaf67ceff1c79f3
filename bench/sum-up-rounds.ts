import type { Measurement } from './measurement.ts';
import { median } from './median.ts';
import type { Round } from './run-rounds.ts';

/** Medians of the rounds. Ratios are medians of each round's own ratio: both sides then met the same machine. */
export interface Summary {
  readonly rows: number;
  readonly runs: number;
  readonly bytes: number;
  readonly baseline: Measurement;
  readonly ours: Measurement;
  readonly again: Measurement;
  /** How many times faster than the baseline. */
  readonly timesBaseline: number;
  /** The smallest and the largest ratio of a single round. */
  readonly timesBaselineRange: readonly [lowest: number, highest: number];
  /** Time of the second read of the slice by time of the first. */
  readonly againByFirst: number;
  readonly memoryRows: number;
  readonly memory: Measurement;
}

export function sumUpRounds(
  rounds: readonly Round[],
  facts: Pick<Summary, 'rows' | 'bytes' | 'memoryRows' | 'memory'>,
): Summary {
  const medianOf = (pick: (round: Round) => Measurement): Measurement => ({
    seconds: median(rounds.map((round) => pick(round).seconds)),
    peakMiB: median(rounds.map((round) => pick(round).peakMiB)),
  });
  const times = rounds.map(({ baseline, ours }) => baseline.seconds / ours.seconds);
  return {
    ...facts,
    runs: rounds.length,
    baseline: medianOf(({ baseline }) => baseline),
    ours: medianOf(({ ours }) => ours),
    again: medianOf(({ again }) => again),
    timesBaseline: median(times),
    timesBaselineRange: [Math.min(...times), Math.max(...times)],
    againByFirst: median(rounds.map(({ again, ours }) => again.seconds / ours.seconds)),
  };
}
