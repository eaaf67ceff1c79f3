import { interleave, type Ratio, ratioOf } from './interleave.ts';
import { median } from './median.ts';

/** Two things that are compared. */
export interface Comparison {
  readonly runs: number;
  readonly baselineSeconds: number;
  readonly seconds: number;
  readonly ratio: Ratio;
}

/** Runs both sides in turn. One round before the others fills the machine's caches and does not count. */
export async function compare(
  name: string,
  runs: number,
  baseline: () => number,
  ours: () => number,
): Promise<Comparison> {
  const rounds = await interleave(
    name,
    runs + 1,
    async () => baseline(),
    async () => ours(),
  );
  const counted = rounds.slice(1);
  return {
    runs,
    baselineSeconds: median(counted.map((round) => round.baseline)),
    seconds: median(counted.map((round) => round.ours)),
    ratio: ratioOf(counted, (round) => round.ours / round.baseline),
  };
}
