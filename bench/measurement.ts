export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const lower = sorted[Math.ceil(middle) - 1];
  const upper = sorted[Math.floor(middle)];
  if (lower === undefined || upper === undefined) throw new RangeError('There is no median of nothing.');
  return (lower + upper) / 2;
}

/** What a child prints about the job it did. */
export interface Measurement {
  /** Of the work alone: the process's start, opening the database and checking the rows are left out. */
  readonly seconds: number;
  /** The whole process's largest resident set so far, taken right after the work. */
  readonly peakMiB: number;
}

/** Runs the measured work of a child and prints its {@link Measurement}; `check` is not part of it. */
export async function measure(work: () => Promise<void> | void, check: () => Promise<void> | void): Promise<void> {
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1000;
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  await check();
  const measurement: Measurement = { seconds, peakMiB };
  process.stdout.write(JSON.stringify(measurement));
}

/** The one argument of a child. */
export function readJob<Job>(): Job {
  return JSON.parse(process.argv[2] ?? '') as Job;
}

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

/** Measures both sides in new processes; the ratio is ours by the baseline's. */
export async function compareMeasured(
  name: string,
  runs: number,
  measureBaseline: () => Promise<Measurement>,
  measureOurs: () => Promise<Measurement>,
): Promise<{ readonly baseline: Measurement; readonly ours: Measurement; readonly ratio: Ratio }> {
  const rounds = await interleave(name, runs, measureBaseline, measureOurs);
  return {
    baseline: medianOf(rounds, ({ baseline }) => baseline),
    ours: medianOf(rounds, ({ ours }) => ours),
    ratio: ratioOf(rounds, ({ baseline, ours }) => ours.seconds / baseline.seconds),
  };
}

/** Two things that are compared. */
export interface Comparison {
  readonly baselineSeconds: number;
  readonly seconds: number;
  readonly ratio: Ratio;
}

/** Times both sides in turn. One round before the others fills the machine's caches and does not count. */
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
    baselineSeconds: median(counted.map((round) => round.baseline)),
    seconds: median(counted.map((round) => round.ours)),
    ratio: ratioOf(counted, (round) => round.ours / round.baseline),
  };
}
