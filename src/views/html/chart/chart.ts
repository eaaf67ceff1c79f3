import { shortLine } from '../../../domain/outside-text.ts';
import { type Html, html } from '../html.ts';
import { numberText } from '../wording.ts';
import { type AxisLabel, axisOf } from './axis.ts';
import { colourOf, endsOf, type Plot, type Plotted, plotOf, pointOf, type Series } from './plot.ts';
import { bandShape, gridShapes, shapesOf } from './shapes.ts';

/** `summary` is for screen readers. `axis` names places if not every name fits. */
export interface ChartOptions extends Plotted {
  readonly title: string;
  readonly summary: string;
  readonly unit: string;
  readonly axis?: readonly AxisLabel[];
  readonly table: Html;
}

/** One drawing for every width, without script. Styles show values under the pointer and switch series off. */
export function chart(options: ChartOptions): Html {
  const { title, summary, unit, series } = options;
  const hasValue = series.some(({ values }) => values.some((value) => value !== undefined));
  return html`<figure>
<figcaption>${title}${unit !== '' && html` <small>${unit}</small>`}</figcaption>
${summary !== '' && html`<p class="note">${summary}</p>\n`}${hasValue ? html`${keyOf(options)}${drawn(options)}` : html`<p class="none">No known values to draw.</p>\n`}<details><summary>Table: ${title}</summary>
${options.table}</details>
</figure>
`;
}

function keyOf({ series, band, ...plotted }: Plotted): Html | false {
  const boxes = series.map(({ name, bars, dashed }, index) => {
    const look = bars ? 'bars' : dashed ? 'dashed' : 'line';
    const box = html`<input type="checkbox" checked class="s${index} ${look} ${colourOf({ ...plotted, series }, index)}">`;
    return html`<li><label>${box}${name}</label></li>`;
  });
  const ground = band && html`<li class="band">${band.name}</li>`;
  return series.length + (band ? 1 : 0) > 1 && html`<ul class="key">${boxes}${ground}</ul>\n`;
}

const BOX = { width: 1000, height: 1000 };

function drawn(options: ChartOptions): Html {
  const { title, summary, young, axis = axisOf(options.x) } = options;
  const plot = plotOf(options);
  const labels = axis.map(({ at, text }) => html`<span style="left:${percent(plot.xOf(at + 0.5))}">${text}</span>`);
  const letters = axis.reduce((sum, { text }) => sum + text.length + 1, 0);
  return html`<div class="plot">
<div class="y" aria-hidden="true">${plot.ticks.toReversed().map((tick) => html`<span>${tick}</span>`)}</div>
<div class="area"><svg viewBox="0 0 ${BOX.width} ${BOX.height}" preserveAspectRatio="none" role="img" aria-label="${`${title}. ${summary}`.trim()}">${bandShape(plot, BOX)}${gridShapes(plot, BOX)}${shapesOf(plot, BOX)}</svg>
${young !== undefined && html`<span class="young" style="left:${percent(plot.xOf(plot.at[young] ?? 0))}">still arriving</span>\n`}${tips(plot)}
${plot.series.map((_, index) => marks(plot, index))}</div>
${ends(plot)}<div class="${letters > NARROW_LETTERS ? 'x dense' : 'x'}" aria-hidden="true">${labels}</div>
</div>
`;
}

/** The letters of an axis that fit on a phone. */
const NARROW_LETTERS = 34;
const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`;

const NAME_MAX = 32;

/** A column for each place. The tips of the left half open to the right, and the others to the left. */
function tips({ series, x, at, xOf }: Plot): Html {
  const middles = at.map((place, index) => ((at[index - 1] ?? place - 1) + 1 + place) / 2);
  const columns = x.map((name, index) => {
    const values = series.map(({ texts, values, name: word, starts }) => {
      const value = texts?.[index] ?? (starts === undefined ? numberText(values[index]) : undefined);
      return value === undefined ? [] : `${value} ${shortLine(word, NAME_MAX)}`;
    });
    const width = (middles[index + 1] ?? 0) - (middles[index] ?? 0);
    const text = [name, ...(values.flat().length > 0 ? values.flat() : ['no value'])].join('\n');
    return {
      width,
      isLeft: xOf(at[index] ?? 0) < 0.5,
      tip: html`<i data-tip="${text}"${width !== 1 && html` style="flex-grow:${width}"`}></i>`,
    };
  });
  const half = (own: typeof columns) =>
    html`<p style="flex-grow:${own.reduce((sum, { width }) => sum + width, 0)}">${own.map(({ tip }) => tip)}</p>`;
  return html`<div class="tips" aria-hidden="true">${half(columns.filter(({ isLeft }) => isLeft))}${half(columns.filter(({ isLeft }) => !isLeft))}</div>`;
}

/** More labels would cover each other. */
const LABELS_MAX = 12;

function marks(plot: Plot, index: number): Html[] {
  const series = plot.series[index] as Series;
  const { marks: all = [] } = series;
  return all.map(({ index: place, words, label, href }, number) => {
    const point = pointOf(plot, series, place);
    if (point === undefined) return html``;
    const side = `${number % 2 === 1 ? ' below' : ''}${point.x >= 0.5 ? ' late' : ''}`;
    const about = html`class="mark s${index} ${colourOf(plot, index)}${side}" style="left:${percent(point.x)};bottom:${percent(point.y)}" data-tip="${words}" aria-label="${words}"`;
    const name = label !== undefined && all.length <= LABELS_MAX && html`<b>${label}</b>`;
    return href === undefined
      ? html`<span ${about} role="img">${name}</span>\n`
      : html`<a ${about} href="${href}">${name}</a>\n`;
  });
}

/** As a share of the usual height. */
const END_HEIGHT = 0.13;

function ends(plot: Plot): Html | false {
  const all = endsOf(plot, END_HEIGHT);
  const texts = all.map(
    ({ y, index, value, word }) =>
      html`<span class="s${index}" style="top:${percent(1 - y)}"><b>${value}</b> <small>${word}</small></span>`,
  );
  return all.length > 0 && html`<div class="ends" aria-hidden="true">${texts}</div>\n`;
}
