import type { PicturePart } from '../src/views/html/chart/picture.ts';
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

/** The single runs' ratios. */
export function spreadOf({ lowest, highest }: Ratio): string {
  return `${lowest.toFixed(2)}–${highest.toFixed(2)}`;
}

/** The ratio, with the single runs' in brackets where they differ. */
export function withSpread(shown: string, ratio: Ratio): string {
  const isOne = ratio.lowest.toFixed(2) === ratio.highest.toFixed(2);
  return isOne ? shown : `${shown} (${spreadOf(ratio)})`;
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
  /** Markdown with places of its own on the page, by their names. */
  readonly apart?: Readonly<Record<string, string>>;
  /** Markdown for README.md, which names no machine and links to the page. */
  readonly brief?: string;
  /** Shown below the figures. */
  readonly pictures?: readonly BenchPicture[];
}

export interface BenchPicture {
  readonly file: string;
  readonly title: string;
  readonly parts: readonly PicturePart[];
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

/** What loads or writes rows, one line each. Their number is a column only where it differs. */
export function renderPipelines(pipelines: readonly Pipeline[]): string {
  const [first] = pipelines;
  const isSame = first !== undefined && pipelines.every(({ rows }) => rows === first.rows);
  return renderTable(
    [isSame ? `${whole(first.rows)} rows` : '', ...(isSame ? [] : ['rows']), 'rows/s', 'seconds', 'peak MiB', 'ratio'],
    pipelines.map(({ name, rows, measurement: { seconds, peakMiB }, ratio, rounds }) => [
      name,
      ...(isSame ? [] : [whole(rows)]),
      whole(rows / seconds),
      seconds.toFixed(2),
      whole(peakMiB),
      rounds === undefined ? ratio : withSpread(ratio, rounds),
    ]),
  );
}

/** How the figures came about. */
export function describeRuns(runs: number): string {
  return runs === 1 ? 'One run.' : `Medians of ${runs} runs.`;
}
