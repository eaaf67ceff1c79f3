import { type Html, html } from '../html.ts';
import { colourOf, type Plot, pointOf, type Series } from './plot.ts';

/** The size of a drawing. If it is stretched, only lines keep their width. */
export interface Box {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Only attributes, because a picture has no style sheet. The class is for switching a series off. */
export function shapesOf(plot: Plot, box: Box): Html[] {
  return plot.series.map(
    ({ bars }, index) =>
      html`<g class="s${index}">${bars ? barShape(plot, index, box) : lineShape(plot, index, box)}</g>`,
  );
}

export function gridShapes({ ticks, yOf }: Plot, box: Box): Html {
  const level = (y: number) => `M0 ${placed({ x: 0, y }, box).y}h${box.width}`;
  const levels = ticks.map((_, index) => level(index / (ticks.length - 1)));
  return html`${line(levels.join(''), 'var(--grid)', 1)}${line(level(yOf(0)), 'var(--line-2)', 1)}`;
}

function lineShape(plot: Plot, index: number, box: Box): Html | false {
  const series = plot.series[index] as Series;
  const colour = `var(--${colourOf(plot, index)})`;
  const dash = series.dashed === true ? '5 4' : undefined;
  const points = series.values.map((_, place) => {
    const point = pointOf(plot, series, place);
    return point && placed(point, box);
  });
  if (series.stepped === true) {
    const steps = points.map((point, place) => {
      const next = (series.starts ?? plot.at)[place + 1] ?? plot.at.at(-1) ?? 0;
      return point && `${pair(point)}H${placed({ x: plot.xOf(next), y: 0 }, box).x}`;
    });
    return line(
      runsOf(steps)
        .map((run) => `M${run.join('L')}`)
        .join(''),
      colour,
      2,
      dash,
    );
  }
  const runs = runsOf(points);
  const linesOf = (own: readonly (Point | undefined)[]) =>
    runsOf(own)
      .filter(({ length }) => length > 1)
      .map((run) => `M${run.map(pair).join(' ')}`)
      .join('');
  const { paleFrom = points.length } = series;
  const final = linesOf(points.slice(0, paleFrom + 1));
  const pale = linesOf(points.slice(Math.max(0, paleFrom)));
  // Without a dot, a day between two gaps would be invisible.
  const alone = runs.filter(({ length }) => length === 1).flat();
  return html`${line(final, colour, 2, dash)}${line(pale, colour, 2, dash, true)}${dots(alone, colour)}`;
}

/** A line without length is round at every size of the plot. */
export function dots(points: readonly Point[], colour: string): Html | false {
  if (points.length === 0) return false;
  return html`<path d="${points.map((point) => `M${pair(point)}h.01`).join('')}" fill="none" stroke="${colour}" stroke-width="5" stroke-linecap="round" vector-effect="non-scaling-stroke"/>`;
}

const BARS_SHARE = 0.7;
/** Few bars are as wide as these many would be. */
const BARS_MIN = 16;

function barShape(plot: Plot, index: number, box: Box): Html | false {
  const { values = [], feet } = plot.series[index] ?? {};
  const groups = feet ? [index] : plot.series.flatMap(({ bars }, place) => (bars ? place : []));
  const width = (BARS_SHARE * Math.min(1, (plot.at.length - 1) / BARS_MIN)) / groups.length;
  const shift = 0.5 + (groups.indexOf(index) - groups.length / 2) * width;
  const bars = values.map((value, place) => {
    if (value === undefined) return '';
    const low = feet?.[place] ?? 0;
    const begin = (plot.at[place] ?? 0) + shift;
    const foot = placed({ x: plot.xOf(begin), y: plot.yOf(low) }, box);
    const head = placed({ x: plot.xOf(begin + width), y: plot.yOf(low + value) }, box);
    return `M${pair(foot)}V${head.y}H${head.x}V${foot.y}Z`;
  });
  return html`<path d="${bars.join('')}" fill="var(--${colourOf(plot, index)})"/>`;
}

function line(path: string, colour: string, width: number, dash?: string, isPale = false): Html | false {
  return (
    path !== '' &&
    html`<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linejoin="round"${dash !== undefined && html` stroke-dasharray="${dash}"`}${isPale && html` stroke-opacity=".4"`} vector-effect="non-scaling-stroke"/>`
  );
}

/** The parts between gaps. */
function runsOf<Item>(items: readonly (Item | undefined)[]): Item[][] {
  const runs: Item[][] = [[]];
  for (const item of items) {
    if (item === undefined) runs.push([]);
    else runs.at(-1)?.push(item);
  }
  return runs.filter(({ length }) => length > 0);
}

export function placed({ x, y }: Point, { width, height }: Box): Point {
  return { x: round(x * width), y: round((1 - y) * height) };
}

const pair = ({ x, y }: Point) => `${x} ${y}`;
const round = (value: number) => Math.round(value * 10) / 10;
