import { join, resolve } from 'node:path';
import { describeRuns, type PartReport, renderTable, whole, withSpread } from '../figures.ts';
import { type Comparison, compare } from '../measurement.ts';
import { childPath, PROGRAM, timeProcess } from '../processes.ts';
import { QUERY_FILE } from '../query.ts';
import { writeQueryFolder } from './query-folder.ts';

const PROJECT = resolve('.');
const SINGLE_RATIO_MAX = 3;
const ALL_RATIO_MAX = 1.5;

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
  const verdict = ({ ratio }: Comparison, most: number) => (ratio.median <= most ? 'reached' : 'not yet');
  const figures = `${renderProcesses(single, inAll, files)}

Targets: at most ${SINGLE_RATIO_MAX} × V (${verdict(single, SINGLE_RATIO_MAX)}) and at most ${ALL_RATIO_MAX} × P (${verdict(inAll, ALL_RATIO_MAX)}). ${describeRuns(runs)} Generated files have ${whole(queries.bytes / files)} bytes.`;
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
