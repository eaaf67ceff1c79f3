import type { Measurement, Ratio } from './measurement.ts';

/** Columns as wide as their widest cell, so that the table can be read in a terminal too. */
export function renderTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(3, name.length, ...body.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

/** The single rounds' ratios. */
export function spreadOf({ lowest, highest }: Ratio): string {
  return `${lowest.toFixed(2)} to ${highest.toFixed(2)}`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

interface FoundTarget {
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly found: string;
  readonly reached: boolean;
}

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
      name,
      whole(rows),
      whole(rows / seconds),
      seconds.toFixed(2),
      whole(peakMiB),
      ratio,
      rounds === undefined ? '' : spreadOf(rounds),
    ]),
  );
}

/** How the figures came about. */
export function describeRuns(runs: number): string {
  return `Medians of ${runs} interleaved ${runs === 1 ? 'run' : 'runs'}, every one of new processes; a ratio is the median of the single runs' own.`;
}
