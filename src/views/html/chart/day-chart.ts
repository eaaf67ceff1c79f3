import { type CivilDate, daysBetween, WEEKDAYS, weekdayOf } from '../../../domain/civil-date.ts';
import type { Html } from '../html.ts';
import { numbers, table, words } from '../table.ts';
import { numberText, shortDay } from '../wording.ts';
import { dayAxis } from './axis.ts';
import { type ChartOptions, chart } from './chart.ts';
import { type PicturePart, picture } from './picture.ts';

/** A chart of days, in their order. Missing days leave room. */
export interface DayChart extends Omit<ChartOptions, 'table' | 'x' | 'at' | 'axis'> {
  readonly x: readonly CivilDate[];
  readonly table?: Html;
}

/** Without a table of its own, it gets one with the same values, for people who cannot see the drawing. */
export function dayChart({ table: own, ...drawing }: DayChart): Html {
  return chart({ ...onDays(drawing), table: own ?? tableOf(drawing) });
}

function tableOf({ title, series, x }: DayChart): Html {
  const columns = [...words('Day'), ...numbers(...series.map(({ name }) => name))];
  const rows = x.map((date, place) => [
    date,
    ...series.map(({ values, texts }) => texts?.[place] ?? numberText(values[place])),
  ]);
  return table({ caption: title, columns, rows });
}

export function dayPicture(title: string, charts: readonly (DayChart & Pick<PicturePart, 'height'>)[]): string {
  return picture(title, charts.map(onDays));
}

function onDays<Drawing extends DayChart>(drawing: Drawing) {
  const { x } = drawing;
  const [first] = x;
  const last = x.at(-1) ?? first;
  if (first === undefined || last === undefined) return { ...drawing, x: [], axis: [] };
  const years = first.slice(0, 4) !== last.slice(0, 4);
  return {
    ...drawing,
    x: x.map((day) => dayName(day, years)),
    at: x.map((day) => daysBetween(first, day)),
    axis: dayAxis(first, last),
  };
}

/** Such as "Mon 3 Nov 2025". */
export function dayName(day: CivilDate, hasYear: boolean): string {
  return `${WEEKDAYS[weekdayOf(day) - 1]?.slice(0, 3)} ${shortDay(day)}${hasYear ? ` ${day.slice(0, 4)}` : ''}`;
}
