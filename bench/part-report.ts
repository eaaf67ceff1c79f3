import type { Ratio } from './interleave.ts';
import { renderTable, whole } from './markdown.ts';
import type { Measurement } from './measurement.ts';
import type { FoundTarget } from './targets.ts';

/** What a part of the benchmark leaves on the terminal and on the page. */
export interface PartReport {
  /** Markdown. */
  readonly figures: string;
  readonly targets: readonly FoundTarget[];
}

/** A line of {@link renderPipelines}. */
export interface Pipeline {
  readonly name: string;
  readonly rows: number;
  readonly measurement: Measurement;
  /** What it is compared with, in words. */
  readonly ratio: string;
  /** Of which the single rounds are shown too. */
  readonly rounds?: Ratio;
}

/** What loads or writes rows, one line each. */
export function renderPipelines(pipelines: readonly Pipeline[]): string {
  return renderTable(
    ['', 'rows', 'rows/s', 'seconds', 'peak MiB', 'ratio', 'single runs'],
    pipelines.map(({ name, rows, measurement: { seconds, peakMiB }, ratio, rounds }) => [
      ...[name, whole(rows), whole(rows / seconds), seconds.toFixed(2), whole(peakMiB), ratio],
      rounds === undefined ? '' : `${rounds.lowest.toFixed(2)} to ${rounds.highest.toFixed(2)}`,
    ]),
  );
}

/** How the figures came about. */
export function describeRuns(runs: number): string {
  return `Medians of ${runs} interleaved ${runs === 1 ? 'run' : 'runs'}, every one of new processes; a ratio is the median of the single runs' own.`;
}
