import type { CheckResults } from './bench-check.ts';
import type { Comparison } from './compare.ts';
import { renderTable, whole } from './markdown.ts';
import type { PartReport } from './part-report.ts';
import type { QueryGrowth } from './query-growth.ts';

const SINGLE_RATIO_MAX = 3;

/** What checking queries takes. */
export function reportCheck(results: CheckResults): PartReport {
  const { single, folder, queries } = results;
  const verdict = single.ratio.median <= SINGLE_RATIO_MAX ? 'reached' : 'not yet';
  const figures = `${renderProcesses(results)}

The target is a check of one file in at most ${SINGLE_RATIO_MAX} × V: ${verdict}. Medians of ${single.runs} and ${folder.runs} interleaved pairs, every one of new
processes; the ratio is the median of each pair's own. The generated files have ${whole(queries.bytes / queries.files)} bytes each.

${renderGrowths(results)}

A ratio of 1 is time that grows as the text does.`;
  return { figures, targets: [] };
}

/** Cold processes. */
function renderProcesses({ single, folder, queries }: CheckResults): string {
  const { files } = queries;
  const two = (baseline: string, ours: string, base: string, { baselineSeconds, seconds, ratio }: Comparison) => [
    [baseline, baselineSeconds.toFixed(3), '1', ''],
    [
      ours,
      seconds.toFixed(3),
      `${ratio.median.toFixed(2)} × ${base}`,
      `${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)}`,
    ],
  ];
  return renderTable(
    ['cold process', 'seconds', 'ratio', 'single runs'],
    [
      ...two('V: `pacekeeper --version`', '`pacekeeper check queries/keyword_stats.sql`', 'V', single),
      ...two(`P: parsing ${whole(files)} files`, `\`pacekeeper check\`, the same ${whole(files)} files`, 'P', folder),
    ],
  );
}

/** Time for one unit at every size. */
function renderGrowths({ growths }: CheckResults): string {
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
