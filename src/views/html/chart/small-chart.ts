import { type Html, html } from '../html.ts';
import { colourOf, type Plotted, plotOf, pointOf } from './plot.ts';
import { dots, placed, shapesOf } from './shapes.ts';

const BOX = { width: 84, height: 26 };

/** Only the shape of some values: the lowest one is at the bottom. */
export function smallChart(drawing: Omit<Plotted, 'x'> & { readonly title: string; readonly summary: string }): Html {
  const { title, summary, series } = drawing;
  const known = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const low = Math.min(...known);
  const high = Math.max(...known);
  const plot = {
    ...plotOf({ ...drawing, x: (series[0]?.values ?? []).map(String) }),
    yOf: (value: number) => (high > low ? (value - low) / (high - low) : 0.5),
  };
  const marks = series.map((one, index) => {
    const points = (one.marks ?? []).flatMap((mark) => pointOf(plot, one, mark.index) ?? []);
    return dots(
      points.map((point) => placed(point, BOX)),
      `var(--${colourOf(plot, index)})`,
    );
  });
  return html`<svg class="small" viewBox="0 0 ${BOX.width} ${BOX.height}" preserveAspectRatio="none" role="img" aria-label="${title}. ${summary}">${shapesOf(plot, BOX)}${marks}</svg>\n`;
}
