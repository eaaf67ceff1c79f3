import { stringify } from 'csv-stringify/sync';
import { inertJson } from '../domain/inert-json.ts';
import { withoutIsolates } from '../domain/outside-text.ts';
import { spreadsheetText } from '../domain/spreadsheet-text.ts';

/** A row by its column's names; a column that it does not have is empty. */
export type ListingRow = Readonly<Record<string, unknown>>;

/**
 * A listing for other programs. As CSV (RFC 4180, with a head) an amount in micros is followed by the same as a decimal
 * number, lists are joined with a comma, and a text that a spreadsheet would run as a formula has an apostrophe before it.
 * As NDJSON each line is an object with every column; integers beyond the range that JSON readers keep exact are text.
 */
export function renderListing(
  columns: readonly string[],
  rows: readonly ListingRow[],
  format: 'csv' | 'ndjson',
): string {
  return format === 'csv' ? csvText(columns, rows) : ndjsonText(columns, rows);
}

const MICROS = /_micros$/;

/** A number in other words than those of JavaScript: it stands without quotes. */
class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function csvText(columns: readonly string[], rows: readonly ListingRow[]): string {
  const head = columns.flatMap((name) => (MICROS.test(name) ? [name, name.replace(MICROS, '')] : [name]));
  const lines = rows.map((row) =>
    columns.flatMap((name) => {
      const cell = cellOf(row[name]);
      return MICROS.test(name) ? [cell, decimalOf(row[name])] : [cell];
    }),
  );
  return stringify([head, ...lines], {
    ...{ record_delimiter: '\r\n', quoted_string: true },
    cast: {
      string: spreadsheetText,
      object: (value) => ({
        value: value instanceof Decimal ? value.text : '',
        quoted_string: false,
      }),
    },
  });
}

function cellOf(value: unknown): string | number | bigint {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'string') return visible(value);
  if (typeof value === 'boolean') return String(value);
  return visible(Array.isArray(value) ? value.join(', ') : JSON.stringify(value, exact));
}

/** Units with at least two digits after the point, and as many as are needed to be exact. */
function decimalOf(value: unknown): Decimal | string {
  if (typeof value !== 'bigint') return '';
  const digits = String(value < 0n ? -value : value).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0{1,4}$/, '');
  return new Decimal(`${value < 0n ? '-' : ''}${digits.slice(0, -6)}.${fraction}`);
}

function ndjsonText(columns: readonly string[], rows: readonly ListingRow[]): string {
  return rows
    .map((row) => JSON.stringify(Object.fromEntries(columns.map((name) => [name, row[name] ?? null])), exact))
    .map((line) => `${inertJson(line)}\n`)
    .join('');
}

function exact(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** What came from outside must not move the cursor of whoever prints it. */
function visible(text: string): string {
  return withoutIsolates(text).replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '·');
}
