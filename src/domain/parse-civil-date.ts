import type { CivilDate } from './civil-date.ts';
import { InvariantError } from './errors.ts';

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Undefined for other text and for days that do not exist. Avoids Temporal, because loading it is slow. */
export function parseCivilDate(text: string): CivilDate | undefined {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days ? (text as CivilDate) : undefined;
}

/** For dates that the program itself writes. Throws InvariantError for other text. */
export function civilDate(text: string): CivilDate {
  const date = parseCivilDate(text);
  if (date === undefined) throw new InvariantError(`"${text}" is not a date.`);
  return date;
}
