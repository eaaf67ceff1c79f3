import { addMonths, type CivilDate, daysBetween, daysOf, monthStart } from '../../../domain/civil-date.ts';
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
    const isNew = day.slice(0, 7) !== days[index - 1]?.slice(0, 7);
    return { at: index * each, text: isNew ? shortDay(day) : String(Number(day.slice(8))) };
  });
}

function monthAxis(from: CivilDate, to: CivilDate): AxisLabel[] {
  const first = monthStart(from) === from ? from : addMonths(monthStart(from), 1);
  const count = Math.floor(daysBetween(first, to) / 30.5) + 1;
  const years = Math.ceil(count / 12 / LABELS_MAX);
  const each = MONTH_STEPS.find((step) => count <= step * LABELS_MAX) ?? 12 * years;
  const labels: AxisLabel[] = [];
  for (let month = first; daysBetween(month, to) >= 0; month = addMonths(month, each)) {
    const text = each >= 12 || month.slice(5, 7) === '01' ? month.slice(0, 4) : shortDay(month).replace('1 ', '');
    labels.push({ at: daysBetween(from, month), text });
  }
  return labels;
}
