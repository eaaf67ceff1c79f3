import type { CivilDate } from '../../domain/civil-date.ts';
import { type ChartOptions, chart, picture } from './charts.ts';
import type { Html } from './html.ts';
import { numbers, table, words } from './table.ts';
import { numberText, shortDay } from './wording.ts';

/** A chart with one value for each day. */
export interface DayChart extends Omit<ChartOptions, 'table' | 'x'> {
  readonly x: readonly CivilDate[];
}

/** With a table of the same values, for people who cannot see the drawing. */
export function dayChart(drawing: DayChart): Html {
  const { title, series, x } = drawing;
  const columns = [...words('Day'), ...numbers(...series.map(({ name }) => name))];
  const rows = x.map((date, place) => [date, ...series.map(({ values }) => numberText(values[place]))]);
  return chart({ ...drawing, x: x.map(shortDay), table: table({ caption: title, columns, rows }) });
}

export function dayPicture(title: string, charts: readonly (DayChart & { readonly height: number })[]): string {
  return picture(
    title,
    charts.map((one) => ({ ...one, x: one.x.map(shortDay) })),
  );
}
