import { shortLine } from '../../../domain/outside-text.ts';
import { type Html, html } from '../html.ts';
import { numberText } from '../wording.ts';
import { colourOf, type Plot, pointOf } from './plot.ts';

const NAME_MAX = 32;

/** A column for each place. Styles show its text under the pointer: in the left half on its right, and vice versa. */
export function tips({ series, x, at, xOf }: Plot): Html {
  const named = series.map((one) => ({ ...one, name: shortLine(one.name, NAME_MAX) }));
  // Columns meet halfway if places are missing between them.
  const edges = at.map((place, index) => ((at[index - 1] ?? place - 1) + 1 + place) / 2);
  const widthOf = (from: number, to: number) => (edges[to] ?? 0) - (edges[from] ?? 0);
  const columns = x.map((place, index) => {
    const values = named.flatMap(({ name, texts, values, starts, tips: own }) => {
      const value = texts?.[index] ?? (starts === undefined ? numberText(values[index]) : undefined);
      return value === undefined ? [] : `${value} ${own?.[index] ?? name}`;
    });
    const width = widthOf(index, index + 1);
    const text = [place, ...(values.length > 0 ? values : ['no value'])].join('\n');
    return html`<i data-tip="${text}"${width !== 1 && html` style="flex-grow:${width}"`}></i>`;
  });
  const half = x.findIndex((_, index) => xOf((at[index] ?? 0) + 0.5) > 0.5);
  const middle = half === -1 ? x.length : half;
  return html`<div class="tips" aria-hidden="true"><p style="flex-grow:${widthOf(0, middle)}">${columns.slice(0, middle)}</p><p style="flex-grow:${widthOf(middle, x.length)}">${columns.slice(middle)}</p></div>`;
}

/** More labels would cover each other. */
const LABELS_MAX = 12;

/** Rings at the marked values, with a label above, or below if the value fell. */
export function marks(plot: Plot): Html[] {
  return plot.series.flatMap((series, index) =>
    (series.marks ?? []).flatMap(({ index: place, words, label, href }, _, { length }) => {
      const point = pointOf(plot, series, place);
      if (point === undefined) return [];
      const fell = (series.values[place] ?? 0) < (series.values[place - 1] ?? 0);
      const classes = `mark s${index} ${colourOf(plot, index)}${fell ? ' below' : ''}${point.x > 0.5 ? ' late' : ''}`;
      const about = html`class="${classes}" style="left:${percent(point.x)};bottom:${percent(point.y)}" aria-label="${words}"`;
      const name = label !== undefined && length <= LABELS_MAX && html`<b>${label}</b>`;
      return href === undefined
        ? html`<span ${about} role="img">${name}</span>\n`
        : html`<a ${about} href="${href}">${name}</a>\n`;
    }),
  );
}

export const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`;
