import { CURRENCY_DECIMALS } from '../../domain/micros.ts';
import type { WorkbookCell } from './workbook.ts';

/** A spreadsheet rounds numbers with more digits. */
const DIGITS_MAX = 15;

/** Text for a number that a spreadsheet would round. */
export function numberCell(value: number | bigint | string, format = 'General'): WorkbookCell {
  const number = String(value);
  const digits = number.replace(/^-?0*\.?0*|\.|e.*$/gi, '').replace(/0+$/, '');
  const isExact = Number.isFinite(Number(number)) && (typeof value === 'number' || digits.length <= DIGITS_MAX);
  return isExact ? { number, format } : number;
}

/** The amount in currency units, with all its decimals. */
export function amountCell(micros: bigint, currency: string | undefined): WorkbookCell {
  const decimals = currency === undefined ? 2 : (CURRENCY_DECIMALS.get(currency) ?? 2);
  const format = `#,##0${decimals === 0 ? '' : `.${'0'.repeat(decimals)}`}`;
  return numberCell(unitsText(micros), /^[A-Z]{3}$/.test(currency ?? '') ? `${format} "${currency}"` : format);
}

/** An exact decimal number, such as `-1.5` for -1,500,000 micros. */
export function unitsText(micros: bigint, decimalsMin = 0): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '').padEnd(decimalsMin, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`;
}

const DAY_MS = 86_400_000;
/** 1970-01-01 in days of spreadsheets. */
const EPOCH = 25_569;
/** Spreadsheets count a 29 February 1900, so their earlier days differ. */
const FIRST_DAY = 61;

export function dayCell(day: string): WorkbookCell {
  return timeCell(day, /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN, 'yyyy-mm-dd');
}

/** The time is in UTC. */
export function instantCell(instant: string): WorkbookCell {
  return timeCell(instant, Date.parse(instant), 'yyyy-mm-dd hh:mm:ss');
}

function timeCell(text: string, atMs: number, format: string): WorkbookCell {
  const days = atMs / DAY_MS + EPOCH;
  return days >= FIRST_DAY ? { number: String(days), format } : text;
}
