import stringWidth from 'string-width';
import { shortLine } from '../../../domain/outside-text.ts';
import { type Html, html } from '../html.ts';
import { THEMES } from '../tokens.ts';
import { axisOf } from './axis.ts';
import type { ChartOptions } from './chart.ts';
import { colourOf, endsOf, type Plot, plotOf, pointOf } from './plot.ts';
import { gridShapes, placed, shapesOf } from './shapes.ts';

export interface PicturePart extends Omit<ChartOptions, 'table'> {
  readonly height: number;
}

const WIDTH = 860;
const MARGIN = 20;
const TITLE_HEIGHT = 34;
const HEAD_HEIGHT = 30;
const LINE_HEIGHT = 18;
const GAP = 8;
/** The estimated width of a letter in pixels. */
const LETTER = 7;
const NAME_MAX = 80;
const widthOf = (text: string) => stringWidth(text) * LETTER;

/** For documents that accept pictures but no markup. */
export function picture(title: string, parts: readonly PicturePart[]): string {
  let top = TITLE_HEIGHT;
  const blocks = parts.map((part) => {
    const { lines, items } = keyOf(part);
    const above = HEAD_HEIGHT + lines * LINE_HEIGHT;
    const unit = part.unit === '' ? '' : `, ${part.unit}`;
    const block = html`<g transform="translate(${MARGIN} ${top})"><text y="18" font-weight="600" fill="var(--text)">${part.title}${unit}</text>
<g transform="translate(0 38)">${items}</g>
<g transform="translate(0 ${above})">${plotted(part)}</g></g>
`;
    top += above + part.height;
    return block;
  });
  const height = top + MARGIN;
  const label = `${title}. ${parts.map((part) => `${part.title}: ${part.summary}`).join(' ')}`;
  const { markup } =
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${label}" font-family="system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif" font-size="12">
<title>${title}</title>
<rect width="${WIDTH}" height="${height}" fill="var(--surface)"/>
<text x="${MARGIN}" y="24" font-size="16" font-weight="600" fill="var(--text)">${title}</text>
${blocks}</svg>
`;
  return markup
    .replaceAll(/ class="s\d+"/g, '')
    .replace(/var\(--([\w-]+)\)/g, (found, name: string) => COLOURS.get(name) ?? found);
}

const COLOURS: ReadonlyMap<string, string> = new Map(Object.entries(THEMES.light));

function keyOf(part: PicturePart): { readonly lines: number; readonly items: Html[] } {
  let x = 0;
  let line = 0;
  const items = part.series.map(({ name: whole, bars, dashed }, index) => {
    const name = shortLine(whole, NAME_MAX);
    const width = 28 + widthOf(name) + 16;
    if (x > 0 && x + width > WIDTH - 2 * MARGIN) {
      x = 0;
      line++;
    }
    const colour = `var(--${colourOf(part, index)})`;
    const mark = bars
      ? html`<path d="M0 -9h20v9h-20Z" fill="${colour}"/>`
      : html`<path d="M0 -4h22" fill="none" stroke="${colour}" stroke-width="3"${dashed === true && html` stroke-dasharray="6 4"`}/>`;
    const item = html`<g transform="translate(${x} ${line * LINE_HEIGHT})">${mark}<text x="28" fill="var(--text-3)">${name}</text></g>\n`;
    x += width;
    return item;
  });
  return { lines: line + 1, items };
}

function plotted(part: PicturePart): Html {
  const plot = plotOf(part);
  const ends = endsOf(plot, (2 * LINE_HEIGHT) / part.height);
  const left = plot.ticks.reduce((most, tick) => Math.max(most, widthOf(tick)), 0) + GAP;
  const right = ends.reduce((most, { value, word }) => Math.max(most, widthOf(`${value} ${word}`)), 0) + GAP;
  const box = { width: WIDTH - 2 * MARGIN - left - right, height: part.height - LINE_HEIGHT - GAP };
  const yOf = (share: number) => placed({ x: 0, y: share }, box).y;
  const ticks = plot.ticks.map(
    (tick, index) =>
      html`<text x="${-GAP}" y="${yOf(index / (plot.ticks.length - 1)) + 4}" text-anchor="end">${tick}</text>`,
  );
  const labels = (part.axis ?? axisOf(part.x)).map(
    ({ at, text }) =>
      html`<text x="${placed({ x: plot.xOf(at + 0.5), y: 0 }, box).x}" y="${box.height + LINE_HEIGHT}" text-anchor="middle">${text}</text>`,
  );
  const words = ends.map(
    ({ y, value, word }) =>
      html`<text x="${box.width + GAP}" y="${yOf(y) + 4}" fill="var(--text)"><tspan font-weight="600">${value}</tspan> ${word}</text>`,
  );
  return html`<g transform="translate(${left} 0)" fill="var(--text-3)">${gridShapes(plot, box)}${shapesOf(plot, box)}${rings(plot, box)}${ticks}${labels}${words}</g>`;
}

function rings(plot: Plot, box: { readonly width: number; readonly height: number }): Html[] {
  return plot.series.flatMap((series, index) =>
    (series.marks ?? []).flatMap((mark) => {
      const point = pointOf(plot, series, mark.index);
      if (point === undefined) return [];
      const { x, y } = placed(point, box);
      return html`<circle cx="${x}" cy="${y}" r="4" fill="var(--surface)" stroke="var(--${colourOf(plot, index)})" stroke-width="2.5"/>`;
    }),
  );
}
