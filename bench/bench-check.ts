import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Growth } from './growth.ts';
import { median } from './median.ts';
import { type QueryFolder, writeQueryFolder } from './query-folder.ts';
import { runChild } from './run-child.ts';
import { timeProcess } from './time-process.ts';

/** Two things that are compared. The ratio is the median of each round's own: both sides then met the same machine. */
export interface Comparison {
  readonly runs: number;
  readonly baselineSeconds: number;
  readonly seconds: number;
  readonly ratio: number;
  /** Of a single round. */
  readonly ratioRange: readonly [lowest: number, highest: number];
}

export interface CheckResults {
  /** A check of one file by `--version`. */
  readonly single: Comparison;
  /** A check of a folder by parsing its files. */
  readonly folder: Comparison;
  readonly queries: QueryFolder;
  readonly growths: readonly Growth[];
}

/** What is measured: the built program. */
const PROGRAM = resolve('dist/main.js');
const PARSE_CHILD = fileURLToPath(new URL('./parse-child.js', import.meta.url));
const PROJECT = resolve('.');
const SINGLE = 'queries/keyword_stats.sql';

/** Measures how long checking takes. `folder` is there to be written to. */
export async function benchCheck(
  folder: string,
  { runs, files }: { readonly runs: number; readonly files: number },
): Promise<CheckResults> {
  const queries = writeQueryFolder(join(folder, 'check'), files);
  const inFolder = (script: string, ...args: string[]) => timeProcess(script, args, queries.folder);
  process.stderr.write(`check of one file, ${runs} runs\n`);
  const single = compare(
    runs,
    () => timeProcess(PROGRAM, ['--version'], PROJECT),
    () => timeProcess(PROGRAM, ['check', SINGLE], PROJECT),
  );
  process.stderr.write(`check of ${files} files, ${runs} runs\n`);
  const all = compare(
    runs,
    () => inFolder(PARSE_CHILD, queries.queries),
    () => inFolder(PROGRAM, 'check', '--queries', 'queries', '--rules', 'rules'),
  );
  process.stderr.write('queries of growing size\n');
  const growths = await runChild<Growth[]>('growth-child', '7');
  return { single, folder: all, queries, growths };
}

/** Round by round; every second one is turned around. One round before them fills the machine's caches. */
function compare(runs: number, baseline: () => number, ours: () => number): Comparison {
  const rounds: { readonly baseline: number; readonly ours: number }[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const baselineFirst = run % 2 === 0 ? baseline() : undefined;
    const seconds = ours();
    const round = { baseline: baselineFirst ?? baseline(), ours: seconds };
    if (run > 0) rounds.push(round);
  }
  const ratios = rounds.map((round) => round.ours / round.baseline);
  return {
    runs,
    baselineSeconds: median(rounds.map((round) => round.baseline)),
    seconds: median(rounds.map((round) => round.ours)),
    ratio: median(ratios),
    ratioRange: [Math.min(...ratios), Math.max(...ratios)],
  };
}
