import plot from 'simple-ascii-chart';
import { oneLine, type TextLayout, wrapText } from './text-layout.ts';

export interface TerminalChart {
  readonly title: string;
  readonly unit: string;
  readonly x: readonly string[];
  /** At most three. The first line is drawn over the others. */
  readonly series: readonly TerminalSeries[];
}

interface TerminalSeries {
  readonly name: string;
  /** An unknown value is a gap, never 0. */
  readonly values: readonly (number | undefined)[];
  /** True if each value lasts until the next value, for example a budget. */
  readonly stepped?: boolean;
}

type Point = [x: number, y: number];

const WIDTH_MAX = 100;
const HEIGHT = 7;
/** Lines differ by symbol, because not everybody sees colours. */
const SYMBOLS = ['●', '·', '○'];
const NO_BREAK = '\u00a0';
/** Enough points that a steep line has no gaps. */
const POINTS_PER_COLUMN = 8;

/** Returns an empty text if `x` has fewer than two elements, or if no two values differ. */
export function terminalChart({ title, unit, x, series }: TerminalChart, { width, bold }: TextLayout): string {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const low = Math.min(...known);
  const high = Math.max(...known);
  const last = x.length - 1;
  if (last < 1 || !(low < high)) return '';
  const label = labelsBetween(low, high);
  const room = Math.max(label(low).length, label(high).length, (x[0] ?? '').length - 2);
  const columns = Math.min(width, WIDTH_MAX) - room - 3;
  const drawn = series.map((one) => pointsOf(one, Math.ceil((POINTS_PER_COLUMN * columns) / last))).toReversed();
  // The library does not say to which line a point belongs, so each point is looked up.
  const symbols = new Map(
    drawn.flatMap((points, index) => points.map((point) => [String(point), SYMBOLS[drawn.length - 1 - index] ?? ' '])),
  );
  const picture = plot(drawn, {
    width: columns,
    height: HEIGHT,
    yRange: [low, high],
    customXAxisTicks: [0, Math.floor(last / 2), last],
    customYAxisTicks: [low, (low + high) / 2, high],
    formatter: (value, { axis }) => (axis === 'x' ? (x[value] ?? '') : label(value)),
    lineFormatter: ({ plotX, plotY, ...at }) => ({
      x: plotX,
      y: plotY,
      symbol: symbols.get(String([at.x, at.y])) ?? ' ',
    }),
    symbols: { axis: { e: '─' } },
  });
  const key = series.map(({ name }, index) => `${SYMBOLS[index]} ${name}`.replaceAll(' ', NO_BREAK)).join('  ');
  // Removes the blank first line and the line with only the arrow of the y axis.
  // The title is added below, because the library misplaces wide letters.
  const lines = picture.split('\n').slice(2);
  const head = wrapText(`${oneLine(`${title}, ${unit}`)}:  ${key}`, width, '', '  ').replaceAll(NO_BREAK, ' ');
  return [bold(head), ...lines.map((line) => line.trimEnd())].join('\n').trimEnd();
}

/** All labels have the same decimals, so the longest label is that of `low` or `high`. */
function labelsBetween(low: number, high: number): (value: number) => string {
  const digits = high - low < 100 ? 2 : 0;
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat('en-US', { ...decimals, signDisplay: 'negative' });
  return (value) => format.format(value);
}

function pointsOf({ values, stepped }: TerminalSeries, pointsPerValue: number): Point[] {
  return values.flatMap((value, index): Point[] => {
    if (value === undefined) return [];
    const next = values[index + 1];
    if (next === undefined) return [[index, value]];
    const rise = stepped === true ? 0 : next - value;
    return Array.from({ length: pointsPerValue }, (_, part) => {
      const share = part / pointsPerValue;
      return [index + share, value + rise * share];
    });
  });
}
