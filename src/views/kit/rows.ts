import { stringify } from 'csv-stringify/sync';
import { inertJson, spreadsheetText, withoutIsolates } from '../../domain/outside-text.ts';
import { withoutMicros } from '../../storage/columns/column.ts';
import { unitsText } from '../../storage/workbook/cells.ts';
import { cellText, cellValue, currencyOf, isNumeric } from './cells.ts';
import type { Listing } from './listing.ts';
import { type Cell, joinedSheet, type Sheet, withoutEmpty } from './sheet.ts';

export function rowsListing<Answer>(listing: Listing<Answer>, answer: Answer, format: 'csv' | 'ndjson'): string {
  const sheet = joinedSheet(listing, answer, 'rows');
  return format === 'csv' ? csvText(sheet) : ndjsonText(sheet);
}

/** A decimal number as text. CSV shows the number without quotes. */
class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** CSV by RFC 4180. An apostrophe prevents spreadsheets from running a text as a formula. */
export function csvText({ columns, rows }: Sheet): string {
  const lines = rows.map((row) =>
    row.flatMap((cell, index) => {
      const value = cellValue(cell);
      return columns[index]?.kind === 'money' ? [plainValue(value), decimalOf(value)] : [plainValue(value)];
    }),
  );
  return csvLines([keyHeads(columns), ...lines]);
}

/** An amount has two columns: micros, and currency units. */
export function keyHeads(columns: Sheet['columns']): string[] {
  return columns.flatMap(({ key, kind }) => (kind === 'money' ? [key, withoutMicros(key)] : [key]));
}

/** A table as people see it, with exact numbers. Currencies have a column of their own. */
export function shownCsv(sheet: Sheet): string {
  const { columns, rows } = withoutEmpty(sheet, (cell) => cellText(cell) === '');
  const head = [...columns.map(({ title }) => title), 'Currency'];
  const lines = rows.map((row) => {
    const currency = row.find((cell) => cell?.column.currency !== undefined || cell?.column.kind === 'money');
    return [...row.map(shownCell), plainValue(currency && currencyOf(currency))];
  });
  return csvLines([head, ...lines]);
}

function shownCell(cell: Cell | undefined): string | number | bigint | Decimal {
  if (cell === undefined || !isNumeric(cell.column)) return visible(cellText(cell));
  const value = cellValue(cell);
  return cell.column.kind === 'money' ? decimalOf(value) : plainValue(value);
}

/** Rows of single values, as in {@link csvText}. */
export function csvRows(rows: readonly (readonly unknown[])[]): string {
  return csvLines(rows.map((row) => row.map(plainValue)));
}

function csvLines(lines: readonly (readonly unknown[])[]): string {
  return stringify(lines as unknown[][], {
    record_delimiter: '\r\n',
    quoted_string: true,
    cast: {
      string: spreadsheetText,
      object: (value) => ({
        value: value instanceof Decimal ? value.text : '',
        quoted_string: false,
      }),
    },
  });
}

export function plainValue(value: unknown): string | number | bigint {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'string') return visible(value);
  if (typeof value === 'boolean') return String(value);
  return visible(Array.isArray(value) ? value.join(', ') : JSON.stringify(value, exact));
}

/** Converts micros to an exact amount in currency units. */
function decimalOf(value: unknown): Decimal | string {
  if (typeof value !== 'bigint') return '';
  return new Decimal(unitsText(value, 2));
}

export function ndjsonText({ columns, rows }: Sheet): string {
  const keys = columns.map(({ key }) => key);
  return rows.map((row) => `${jsonRow(keys, row.map(cellValue))}\n`).join('');
}

/** Integers that JSON readers would round become text. */
export function jsonRow(keys: readonly string[], values: readonly unknown[]): string {
  const row = Object.fromEntries(keys.map((key, index) => [key, values[index] ?? null]));
  return inertJson(JSON.stringify(row, exact));
}

function exact(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** A control character in a text from a service could move the terminal's cursor. */
export function visible(text: string): string {
  return withoutIsolates(text).replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '·');
}
