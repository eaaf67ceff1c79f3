import { addMonths, type CivilDate, daysBetween, daysOf, startOfGrain } from '../../../domain/civil-date.ts';
import { shortDay } from '../wording.ts';

export interface AxisLabel {
  readonly at: number;
  readonly text: string;
}

/** So many letters fit below the narrowest drawing that is not a phone's. */
const LETTERS = 70;
const SPACE = 3;
const LABELS_MAX = 9;

export function axisOf(names: readonly string[]): AxisLabel[] {
  const longest = names.reduce((most, { length }) => Math.max(most, length), 0) + SPACE;
  const each = Math.ceil((names.length * longest) / LETTERS);
  return names.flatMap((text, at) => (at % each === 0 ? { at, text } : []));
}

const DAY_STEPS = [1, 2, 3, 4, 7, 14];
const MONTH_STEPS = [1, 2, 3, 6];

/** Names a month only where it begins to count: "30 Nov, 7 Dec, 14, 21". Long ranges have months or years. */
export function dayAxis(from: CivilDate, to: CivilDate): AxisLabel[] {
  const count = daysBetween(from, to) + 1;
  const each = DAY_STEPS.find((step) => count <= step * LABELS_MAX);
  if (each === undefined) return monthAxis(from, to);
  const days = daysOf({ from, to }).filter((_, index) => index % each === 0);
  return days.map((day, index) => {
    // A phone shows every second label only.
    const before = days[index - (index % 2 === 0 ? 2 : 1)];
    const isNew = day.slice(0, 7) !== before?.slice(0, 7);
    return { at: index * each, text: isNew ? shortDay(day) : String(Number(day.slice(8))) };
  });
}

function monthAxis(from: CivilDate, to: CivilDate): AxisLabel[] {
  const count = Math.ceil(daysBetween(from, to) / 30);
  const each = MONTH_STEPS.find((step) => count <= step * LABELS_MAX) ?? 12 * Math.ceil(count / 12 / LABELS_MAX);
  const grain = each < 12 ? 'month' : 'year';
  const labels: AxisLabel[] = [];
  let day = startOfGrain(grain, from);
  if (day !== from) day = addMonths(day, grain === 'month' ? 1 : 12);
  for (; daysBetween(day, to) >= 0; day = addMonths(day, each)) {
    const text = grain === 'year' || day.slice(5, 7) === '01' ? day.slice(0, 4) : shortDay(day).replace('1 ', '');
    labels.push({ at: daysBetween(from, day), text });
  }
  return labels;
}
