import type { CivilDate } from '../../domain/civil-date.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import { parseAsWritten, parseJson } from '../../domain/parse-json.ts';
import type { Column } from '../../gaql/check/column.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { copyText } from '../../store/postgres/copy-into.ts';
import { absentKeyValue, DATE_COLUMN, storageType } from '../query-table.ts';
import { badDate, type JsonRows, mendEscapes, misplacedBoolean, unusable } from '../slice-load.ts';

export interface RowTexts {
  /** Lines for COPY, each with the customer, the columns of the query and the row's number. */
  readonly copy: string;
  readonly rows: bigint;
  readonly days: ReadonlySet<CivilDate>;
}

/** Throws `ApiError` for a row that cannot be stored. */
export function rowTexts(query: QueryFile, customer: string, first: bigint, piece: JsonRows): RowTexts {
  const text = Buffer.from(mendEscapes(piece.json)).toString('utf8');
  const days = new Set<CivilDate>();
  const lines: string[] = [];
  let number = first;
  let last: string | undefined;
  for (const row of rowsIn(text)) {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) throw unusable('it is not an object');
    let line = customer;
    for (const column of query.columns) {
      const cell = storedText(query, column, valueAt(row, column.path));
      line += `\t${copyText(cell)}`;
      // Most rows have the day of the row before.
      if (column.name !== DATE_COLUMN || cell === last) continue;
      days.add(dayIn(cell));
      last = cell;
    }
    lines.push(`${line}\t${number}\n`);
    number += 1n;
  }
  return { copy: lines.join(''), rows: number - first, days };
}

function dayIn(cell: string | undefined): CivilDate {
  const day = cell === undefined ? undefined : parseCivilDate(cell);
  if (day === undefined) throw badDate(cell);
  return day;
}

/** In a text without long numbers, JSON.parse loses no digit and is faster. */
function rowsIn(text: string): readonly unknown[] {
  const found = /[:[,]\s*-?\d{16}/.test(text) ? parseAsWritten(text) : parseJson(text);
  if (!Array.isArray(found)) throw unusable('malformed JSON');
  return found;
}

function valueAt(row: object, path: readonly string[]): unknown {
  let value: unknown = row;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}

function storedText(query: QueryFile, column: Column, value: unknown): string | undefined {
  if (value === undefined || value === null) return absentText(query, column);
  if (typeof value === 'boolean') {
    if (column.type !== 'BOOLEAN' && column.type !== 'MESSAGE') throw misplacedBoolean();
    return value ? '1' : '0';
  }
  if (column.name === DATE_COLUMN && typeof value !== 'string') throw badDate(value);
  switch (storageType(column.type)) {
    case 'INTEGER':
      return wholeText(query, column, value);
    case 'REAL':
      return realText(query, column, value);
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

function absentText({ key }: QueryFile, column: Column): string | undefined {
  // The service may omit a metric that is zero. An omitted attribute is unknown.
  if (column.role === 'metric') return '0';
  const isKey = key.includes(column.name);
  if (!isKey && column.name !== DATE_COLUMN) return undefined;
  const absent = isKey ? absentKeyValue(column) : undefined;
  if (absent === undefined) throw unusable(`it has no ${column.field}`);
  return absent === "''" ? '' : absent;
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

function wholeText(query: QueryFile, column: Column, value: unknown): string {
  if (typeof value === 'string' && /^\d{1,18}$/.test(value)) return value;
  const text = typeof value === 'string' ? value.trim() : JSON.stringify(value);
  const whole = /^[+-]?\d+(?:\.0*)?$/.test(text) ? BigInt(text.replace(/\.0*$/, '').replace('+', '')) : undefined;
  if (whole !== undefined && whole >= INT64_MIN && whole <= INT64_MAX) return String(whole);
  throw unusable(
    `cannot store ${typeof value === 'number' ? 'REAL' : 'TEXT'} value in INTEGER column ${query.name}.${column.name}`,
  );
}

function realText(query: QueryFile, column: Column, value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : JSON.stringify(value);
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return String(Number(text));
  throw unusable(`cannot store TEXT value in REAL column ${query.name}.${column.name}`);
}
