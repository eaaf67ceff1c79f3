import type { CheckResults, Comparison } from './bench-check.ts';
import type { Growth } from './growth.ts';
import { machineLine } from './machine-line.ts';
import { renderTable, whole } from './markdown.ts';
import { CHECK_HEADING } from './page.ts';

const SINGLE_RATIO_MAX = 3;

/** Cold processes as a Markdown table, for the terminal and the page alike. */
export function renderProcesses({ single, folder, queries }: CheckResults): string {
  const { files } = queries;
  const two = (baseline: string, ours: string, base: string, { baselineSeconds, seconds, ...rest }: Comparison) => [
    [baseline, baselineSeconds.toFixed(3), '1', ''],
    [
      ours,
      seconds.toFixed(3),
      `${rest.ratio.toFixed(2)} × ${base}`,
      rest.ratioRange.map((one) => one.toFixed(2)).join(' to '),
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
export function renderGrowths({ growths }: CheckResults): string {
  const shown = { value: 'one list of values', KB: 'many conditions with comments' };
  const sizeOf = (size: number, { unit }: Growth) => (unit === 'KB' ? `${size / 1_000} MB` : whole(size));
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

/** The part of docs/benchmarks.md about checking. */
export function renderCheckPart(results: CheckResults, command: string): string {
  const { single, folder, queries } = results;
  const verdict = single.ratio <= SINGLE_RATIO_MAX ? 'reached' : 'not yet';
  return `${CHECK_HEADING}

Written by \`${command}\`; do not edit.

${renderProcesses(results)}

The target is a check of one file in at most ${SINGLE_RATIO_MAX} × V: ${verdict}. Medians of ${single.runs} and ${folder.runs} interleaved pairs, every one of new
processes; the ratio is the median of each pair's own. Absolute figures belong to this machine
(${machineLine()}).

${renderGrowths(results)}

A ratio of 1 is time that grows as the text does.

- The program is the built one, \`dist/main.js\`. Seconds run from the start of the process to its end, Node's own start included.
- One file is checked in the project's own folder. Its \`pacekeeper.yaml\` speaks of neither catalogue nor parameters, so it is not read
  further; the folder's does, and its check loads what reads YAML, too.
- The folder's ${whole(queries.files)} files are generated, no two alike: ${whole(queries.bytes / queries.files)} bytes and about fifteen fields each, over five resources, with
  comments, parameters, lists and orders in turn. All of them are right. The folder has no rules.
- *P* reads the same files and runs the product's \`parseQuery\` on each, bundled as the product is. The check adds the program's own start,
  the settings, the catalogue and the judgement of every field, value and day.
- In one process, a small query is read as often as it takes to have read as much as the largest; one round before the counted ones is
  for the compiler. *check* is the parser and the judgement. The list is \`campaign.id IN (…)\`; the conditions stand a line each,
  a comment behind them.
`;
}
