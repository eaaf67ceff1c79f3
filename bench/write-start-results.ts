import type { StartResults } from './bench-start.ts';
import type { Comparison } from './compare.ts';
import { renderTable } from './markdown.ts';
import type { PartReport } from './part-report.ts';

const RATIO_MAX = 3;

/** What a cold start takes. */
export function reportStart({ version, help }: StartResults): PartReport {
  const row = (name: string, { seconds, ratio }: Comparison) => [
    ...[name, seconds.toFixed(3), `${ratio.median.toFixed(2)} × N`],
    `${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)}`,
  ];
  const table = renderTable(
    ['cold process', 'seconds', 'ratio', 'single runs'],
    [
      ['N: `node -e 0`', version.baselineSeconds.toFixed(3), '1', ''],
      row('`pacekeeper --version`', version),
      row('`pacekeeper --help`', help),
    ],
  );
  const reached = [version, help].every(({ ratio }) => ratio.median <= RATIO_MAX) ? 'reached' : 'not yet';
  const figures = `${table}

The target is a start in at most ${RATIO_MAX} × N: ${reached}. Medians of ${version.runs} interleaved pairs, every one of new processes.`;
  return { figures, targets: [] };
}
