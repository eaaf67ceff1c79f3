import { type Html, html } from '../html.ts';
import { type AxisLabel, axisOf } from './axis.ts';
import { colourOf, endsOf, type Plot, type Plotted, plotOf } from './plot.ts';
import { gridShapes, shapesOf } from './shapes.ts';
import { marks, percent, tips } from './tips.ts';

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

function keyOf(plotted: Plotted): Html | false {
  const { series } = plotted;
  const boxes = series.map(({ name, bars, dashed }, index) => {
    const look = bars ? 'bars' : dashed ? 'dashed' : 'line';
    const box = html`<input type="checkbox" checked class="s${index} ${look} ${colourOf(plotted, index)}">`;
    return html`<li><label>${box}${name}</label></li>`;
  });
  return series.length > 1 && html`<ul class="key">${boxes}</ul>\n`;
}

const BOX = { width: 1000, height: 1000 };

function drawn(options: ChartOptions): Html {
  const { title, summary, axis = axisOf(options.x) } = options;
  const plot = plotOf(options);
  const labels = axis.map(({ at, text }) => html`<span style="left:${percent(plot.xOf(at + 0.5))}">${text}</span>`);
  const longest = axis.reduce((most, { text }) => Math.max(most, text.length), 0);
  return html`<div class="plot">
<div class="y" aria-hidden="true">${plot.ticks.toReversed().map((tick) => html`<span>${tick}</span>`)}</div>
<div class="area"><svg viewBox="0 0 ${BOX.width} ${BOX.height}" preserveAspectRatio="none" role="img" aria-label="${`${title}. ${summary}`.trim()}">${gridShapes(plot, BOX)}${shapesOf(plot, BOX)}</svg>
${tips(plot)}
${marks(plot)}</div>
${ends(plot)}<div class="${longest * axis.length > NARROW_LETTERS ? 'x dense' : 'x'}" aria-hidden="true">${labels}</div>
</div>
`;
}

/** The letters of an axis that fit on a phone. */
const NARROW_LETTERS = 34;
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
