import type { Measurement } from './measurement.ts';
import { median } from './median.ts';

/** Both sides of a comparison, one right after the other. */
export interface Round<Baseline, Ours> {
  readonly baseline: Baseline;
  readonly ours: Ours;
}

/** Measures round by round, so that a machine that slows down slows both sides; every second round is turned around. */
export async function interleave<Baseline, Ours>(
  name: string,
  runs: number,
  measureBaseline: () => Promise<Baseline>,
  measureOurs: () => Promise<Ours>,
): Promise<Round<Baseline, Ours>[]> {
  const rounds: Round<Baseline, Ours>[] = [];
  for (let run = 0; run < runs; run += 1) {
    const baselineFirst = run % 2 === 0 ? await measureBaseline() : undefined;
    const ours = await measureOurs();
    const round = { baseline: baselineFirst ?? (await measureBaseline()), ours };
    rounds.push(round);
    process.stderr.write(`${name}, run ${run + 1} of ${runs}: ${JSON.stringify(round)}\n`);
  }
  return rounds;
}

/** The median of each round's own ratio, for both sides of a round met the same machine; and the single rounds'. */
export interface Ratio {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function ratioOf<Single>(rounds: readonly Single[], pick: (round: Single) => number): Ratio {
  const ratios = rounds.map(pick);
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/** Seconds and memory of one side: the median of each. */
export function medianOf<Single>(rounds: readonly Single[], pick: (round: Single) => Measurement): Measurement {
  return {
    seconds: median(rounds.map((round) => pick(round).seconds)),
    peakMiB: median(rounds.map((round) => pick(round).peakMiB)),
  };
}
