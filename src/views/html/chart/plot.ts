/** `values` has one for each place. An undefined value is a gap, never 0. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
  /** The words for each place, such as "331.96 EUR". Drawn values are not exact. */
  readonly texts?: readonly (string | undefined)[];
  /** In the tips of the places, instead of the name. */
  readonly tips?: readonly (string | undefined)[];
  readonly bars?: boolean;
  /** The value at which each bar begins, if the bars of all series stand on each other. */
  readonly feet?: readonly number[];
  readonly dashed?: boolean;
  /** The index of the last value that is final. The line is pale after it. */
  readonly paleFrom?: number;
  /** True if each value lasts until the next value, as a budget does. */
  readonly stepped?: boolean;
  /** The begin of each value of a stepped line, in places: 2.5 is noon of the third day. */
  readonly starts?: readonly number[];
  readonly marks?: readonly Mark[];
  /** A word at the end of the line, with its last value. */
  readonly end?: { readonly value: string | undefined; readonly word: string };
  /** 0 is the tint of bars, 1 to 4 are lines. */
  readonly colour?: number;
}

export interface Mark {
  /** The index of the marked value. */
  readonly index: number;
  readonly words: string;
  readonly label?: string;
  readonly href?: string | undefined;
}

export interface Plotted {
  readonly series: readonly Series[];
  /** The names of the places. */
  readonly x: readonly string[];
  /** The begin of each place, if places are missing between them. */
  readonly at?: readonly number[];
}

/** Shares of the plot: x from the left, y from the bottom. */
export interface Plot extends Plotted {
  /** From the bottom to the top, evenly spaced. */
  readonly ticks: readonly string[];
  /** The begin of each place and, at last, the end of the last one. */
  readonly at: readonly number[];
  xOf(place: number): number;
  yOf(value: number): number;
}

/** Every chart begins at zero, so that heights can be compared. */
export function plotOf(plotted: Plotted): Plot {
  const { series, x } = plotted;
  const known = series.flatMap(({ values, feet }) =>
    values.flatMap((value, index) => (value === undefined ? [] : value + (feet?.[index] ?? 0))),
  );
  const { low, high, ticks } = scaleOf(known);
  const starts = plotted.at ?? x.map((_, index) => index);
  const first = starts[0] ?? 0;
  const end = (starts.at(-1) ?? 0) + 1;
  return {
    ...plotted,
    ticks,
    at: [...starts, end],
    xOf: (place) => (place - first) / (end - first),
    yOf: (value) => (value - low) / (high - low),
  };
}

const INTERVALS = 4;
/** Smaller values are drawn as zero. */
const STEP_MIN = 1e-9;
const COMPACT_FROM = 1_000_000;

/** Ticks are multiples of 1, 2 or 5, and whole if all values are. */
function scaleOf(values: readonly number[]) {
  const lowest = values.reduce((least, value) => Math.min(least, value), 0);
  const highest = values.reduce((most, value) => Math.max(most, value), 0);
  const rough = Math.max(STEP_MIN, (highest - lowest || 1) / INTERVALS);
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  const nice = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  const step = values.every(Number.isInteger) ? Math.max(1, nice) : nice;
  const from = Math.floor(lowest / step);
  const to = Math.max(from + 1, Math.ceil(highest / step));
  const isLong = Math.max(-from, to) * step >= COMPACT_FROM;
  const format = new Intl.NumberFormat('en-US', {
    maximumFractionDigits: isLong ? 2 : Math.max(0, -Math.floor(Math.log10(step))),
    notation: isLong ? 'compact' : 'standard',
  });
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => format.format((from + index) * step));
  return { low: from * step, high: to * step, ticks: ticks.map((tick) => tick.replace('-', '−')) };
}

/** The place and value of an index. Lines go through the middle of a place, and steps begin with it. */
export function pointOf({ at, xOf, yOf }: Plot, { starts, stepped, values }: Series, index: number) {
  const value = values[index];
  if (value === undefined) return undefined;
  const place = at[index] ?? 0;
  return { x: xOf(starts?.[index] ?? (stepped ? place : place + 0.5)), y: yOf(value) };
}

/** The words at the ends of lines, from the top to the bottom, so far apart that none covers another. */
export function endsOf(plot: Plot, distance: number) {
  const ends = plot.series
    .flatMap((series, index) => {
      const last = series.values.findLastIndex((value) => value !== undefined);
      const point = pointOf(plot, series, last);
      const { value, word } = series.end ?? {};
      return value !== undefined && word !== undefined && point ? { value, word, index, y: point.y } : [];
    })
    .sort((one, other) => other.y - one.y);
  for (const [place, end] of ends.entries()) end.y = Math.min(end.y, (ends[place - 1]?.y ?? end.y + 1) - distance);
  for (const [place, end] of [...ends.entries()].reverse())
    end.y = Math.max(end.y, (ends[place + 1]?.y ?? -distance) + distance);
  return ends;
}

/** Two kinds of bars need two colours. One kind is a tint behind the lines. */
export function colourOf({ series }: Plotted, index: number): string {
  const isTint = series[index]?.bars && series.filter(({ bars }) => bars).length === 1;
  return COLOURS[(series[index]?.colour ?? (isTint ? 0 : index + 1)) % COLOURS.length] ?? 'chart-1';
}

const COLOURS = ['bar', 'chart-1', 'chart-2', 'chart-3', 'chart-4'];
