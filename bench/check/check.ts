import { join, resolve } from 'node:path';
import { describeRuns, type PartReport, renderTable, whole, withSpread } from '../figures.ts';
import { type Comparison, compare } from '../measurement.ts';
import { childPath, PROGRAM, runChild, timeProcess } from '../processes.ts';
import { QUERY_FILE } from '../query.ts';
import { writeQueryFolder } from './query-folder.ts';

/** What query-growth-child prints: how the time for one value, or one kilobyte, changes with the size of the query. */
export interface QueryGrowth {
  readonly work: 'parse' | 'check';
  /** What the sizes count. */
  readonly unit: 'value' | 'KB';
  readonly sizes: readonly Growing[];
  /** Time per unit of the largest size by that of the smallest: 1 when time grows as the text does. */
  readonly largestBySmallest: number;
}

export interface Growing {
  readonly size: number;
  readonly microsecondsPerUnit: number;
}

const PROJECT = resolve('.');
const SINGLE_RATIO_MAX = 3;

/** Measures how long checking takes. `folder` is there to be written to. */
export async function benchCheck(
  folder: string,
  { runs, files }: { readonly runs: number; readonly files: number },
): Promise<PartReport> {
  const queries = writeQueryFolder(join(folder, 'check'), files);
  const inFolder = (script: string, ...args: string[]) => timeProcess(script, args, queries.folder);
  const single = await compare(
    'check of one file',
    runs,
    () => timeProcess(PROGRAM, ['--version'], PROJECT),
    () => timeProcess(PROGRAM, ['check', QUERY_FILE], PROJECT),
  );
  const inAll = await compare(
    `check of ${files} files`,
    runs,
    () => inFolder(childPath('check/parse'), queries.queries),
    () => inFolder(PROGRAM, 'check', '--queries', 'queries', '--rules', 'rules'),
  );
  process.stderr.write('queries of growing size\n');
  const growths = await runChild<QueryGrowth[]>('check/query-growth', 7);
  const verdict = single.ratio.median <= SINGLE_RATIO_MAX ? 'reached' : 'not yet';
  const figures = `${renderProcesses(single, inAll, files)}

Target for one file: at most ${SINGLE_RATIO_MAX} × V (${verdict}). ${describeRuns(runs)} Generated files have ${whole(queries.bytes / files)} bytes.

${renderGrowths(growths)}`;
  return { figures, targets: [] };
}

/** Cold processes. */
function renderProcesses(single: Comparison, folder: Comparison, files: number): string {
  const two = (baseline: string, ours: string, base: string, { baselineSeconds, seconds, ratio }: Comparison) => [
    [baseline, baselineSeconds.toFixed(3), '1'],
    [ours, seconds.toFixed(3), withSpread(`${ratio.median.toFixed(2)} × ${base}`, ratio)],
  ];
  return renderTable(
    ['cold process', 'seconds', 'ratio'],
    [
      ...two('V: `pacekeeper --version`', '`pacekeeper check queries/keyword_stats.sql`', 'V', single),
      ...two(`P: parsing ${whole(files)} files`, `\`pacekeeper check\`, the same ${whole(files)} files`, 'P', folder),
    ],
  );
}

/** Time for one unit at every size. */
function renderGrowths(growths: readonly QueryGrowth[]): string {
  const shown = { value: 'one list of values', KB: 'many conditions with comments' };
  const sizeOf = (size: number, { unit }: QueryGrowth) => (unit === 'KB' ? `${size / 1_000} MB` : whole(size));
  return renderTable(
    ['in one process', 'sizes', 'µs per value or KB', 'largest : smallest'],
    growths.map((growth) => [
      `${growth.work}, ${shown[growth.unit]}`,
      growth.sizes.map(({ size }) => sizeOf(size, growth)).join(', '),
      growth.sizes.map(({ microsecondsPerUnit }) => microsecondsPerUnit.toPrecision(3)).join(', '),
      growth.largestBySmallest.toFixed(2),
    ]),
  );
}
