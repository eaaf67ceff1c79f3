import { type Html, html } from '../html.ts';
import { colourOf, type Plotted, plotOf, pointOf } from './plot.ts';
import { dots, placed, shapesOf } from './shapes.ts';

const BOX = { width: 84, height: 26 };

/** Only the shape of some values: the lowest one is at the bottom. Dotted where they are still arriving. */
export function smallChart(drawing: Omit<Plotted, 'x'> & { readonly title: string; readonly summary: string }): Html {
  const { title, summary, series, young = Number.POSITIVE_INFINITY } = drawing;
  const known = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const low = Math.min(...known);
  const high = Math.max(...known);
  const parts = series.flatMap((one, index) => {
    const colour = one.colour ?? index + 1;
    const part = (isDrawn: (place: number) => boolean) =>
      one.values.map((value, place) => (isDrawn(place) ? value : undefined));
    const complete = { ...one, colour, values: part((place) => place < young) };
    return young < one.values.length
      ? [complete, { ...complete, dashed: true, values: part((place) => place >= young - 1) }]
      : [complete];
  });
  const plot = {
    ...plotOf({ ...drawing, series: parts, x: (series[0]?.values ?? []).map(String) }),
    yOf: (value: number) => (high > low ? (value - low) / (high - low) : 0.5),
  };
  const marks = parts.map((one, index) => {
    const points = (one.marks ?? []).flatMap((mark) => pointOf(plot, one, mark.index) ?? []);
    return dots(
      points.map((point) => placed(point, BOX)),
      `var(--${colourOf(plot, index)})`,
    );
  });
  return html`<svg class="small" viewBox="0 0 ${BOX.width} ${BOX.height}" preserveAspectRatio="none" role="img" aria-label="${title}. ${summary}">${shapesOf(plot, BOX)}${marks}</svg>\n`;
}
