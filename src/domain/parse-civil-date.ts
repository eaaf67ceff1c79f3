import type { CivilDate } from './civil-date.ts';
import { InvariantError } from './errors.ts';

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads `YYYY-MM-DD`; undefined when it is not written so or does not exist (2026-02-30). Without the calendar of the other
 * functions on days, because options of commands are declared with it, and that calendar is a fifth of the time of a start.
 */
export function parseCivilDate(text: string): CivilDate | undefined {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days ? (text as CivilDate) : undefined;
}

/** For dates that the program itself writes. */
export function civilDate(text: string): CivilDate {
  const date = parseCivilDate(text);
  if (date === undefined) throw new InvariantError(`"${text}" is not a date.`);
  return date;
}
