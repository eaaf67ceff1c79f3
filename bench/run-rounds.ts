import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedResponse, Job, Measurement } from './measurement.ts';
import { runChild, withServer } from './run-child.ts';

/** One round: everything that is compared, one after the other. */
export interface Round {
  readonly baseline: Measurement;
  readonly ours: Measurement;
  /** The same slice again, into the database that `ours` left. */
  readonly again: Measurement;
}

/** Measures round by round, so that a machine that slows down slows everything down; every second round is turned around. */
export async function runRounds(folder: string, response: GeneratedResponse, runs: number): Promise<Round[]> {
  return withServer(response.file, async (url) => {
    const rounds: Round[] = [];
    const inDatabase = <Result>(work: (job: Job) => Promise<Result>) =>
      withDatabase(folder, (database) => work({ url, database, expected: response.totals }));
    const loadBaseline = () => inDatabase((job) => runChild<Measurement>('baseline-child', JSON.stringify(job)));
    const extractTwice = () =>
      inDatabase(async (job) => ({
        ours: await runChild<Measurement>('extract-child', JSON.stringify(job)),
        again: await runChild<Measurement>('extract-child', JSON.stringify(job)),
      }));
    for (let run = 0; run < runs; run += 1) {
      const baselineFirst = run % 2 === 0 ? await loadBaseline() : undefined;
      const extracted = await extractTwice();
      const round = { ...extracted, baseline: baselineFirst ?? (await loadBaseline()) };
      rounds.push(round);
      const { baseline, ours, again } = round;
      const shown = Object.entries({ baseline, ours, again }).map(
        ([name, { seconds }]) => `${name} ${seconds.toFixed(2)} s`,
      );
      process.stderr.write(`run ${run + 1} of ${runs}: ${shown.join(', ')}\n`);
    }
    return rounds;
  });
}

/** One extraction of a larger response, for its memory. */
export async function extractOnce(folder: string, response: GeneratedResponse): Promise<Measurement> {
  return withServer(response.file, (url) =>
    withDatabase(folder, (database) =>
      runChild<Measurement>('extract-child', JSON.stringify({ url, database, expected: response.totals })),
    ),
  );
}

/** A new database for each use, gone afterwards. */
async function withDatabase<Result>(folder: string, work: (database: string) => Promise<Result>): Promise<Result> {
  const own = join(folder, 'state');
  mkdirSync(own);
  try {
    return await work(join(own, 'state.sqlite'));
  } finally {
    rmSync(own, { recursive: true });
  }
}
