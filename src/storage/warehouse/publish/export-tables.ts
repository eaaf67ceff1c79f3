import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { unreachable } from '../../../domain/errors.ts';
import { spreadsheetText } from '../../../domain/outside-text.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { identifier } from '../query-table.ts';
import { openTables, type PublishedTables, type PublishedValue } from '../sqlite/published-file.ts';
import { instantOutside, type PublishedColumn, type PublishedTable } from './published-table.ts';

const PIECE_SIZE = 64 * 1024;

/** Writes one object per line. Integers keep all digits. */
function* jsonText(columns: readonly PublishedColumn[], rows: Iterable<readonly PublishedValue[]>): Generator<string> {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const flags = columns.map(({ declared }) => declared === 'BOOLEAN');
  let piece = '[';
  let before = '\n';
  for (const row of rows) {
    const members = row.map((value, index) => `${names[index]}:${valueText(value, flags[index] ?? false)}`);
    piece += `${before}{${members.join(',')}}`;
    before = ',\n';
    if (piece.length < PIECE_SIZE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n]\n`;
}

function valueText(value: PublishedValue, isFlag: boolean): string {
  if (typeof value !== 'bigint') return JSON.stringify(value);
  return isFlag ? String(value !== 0n) : String(value);
}

export type ExportFormat = 'csv' | 'json';

export interface ExportedTable {
  /** A file, or a folder of files. */
  readonly file: string;
  readonly rows: number;
  readonly files?: { readonly all: number; readonly written: number };
}

/** Replaces each file atomically. After a stop, returns only the complete tables. */
export async function exportTables(
  warehousePath: string,
  tables: readonly PublishedTable[],
  format: ExportFormat,
  folder: string,
  stop?: AbortSignal,
): Promise<ExportedTable[]> {
  const warehouse = openTables(warehousePath);
  const written: ExportedTable[] = [];
  try {
    for (const table of tables) {
      if (stop?.aborted) break;
      const file = join(folder, `${table.name}.${format}`);
      written.push({
        file,
        rows: await replaceFile(file, (next) => exportTable(warehouse, table, format, next, stop)),
      });
    }
    return written;
  } catch (error) {
    if (stop?.aborted) return written;
    throw error;
  } finally {
    warehouse.close();
  }
}

async function exportTable(
  warehouse: PublishedTables,
  { name, columns }: PublishedTable,
  format: ExportFormat,
  path: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const stoppable = signal === undefined ? {} : { signal };
  let rows = 0;
  function* counted(): Generator<PublishedValue[]> {
    for (const row of warehouse.rows(name, columns.map(exportedValue))) {
      rows += 1;
      yield row;
    }
  }
  switch (format) {
    case 'csv':
      await pipeline(Readable.from(counted()), csvText(columns), createWriteStream(path), stoppable);
      break;
    case 'json':
      await pipeline(Readable.from(jsonText(columns, counted())), createWriteStream(path), stoppable);
      break;
    default:
      unreachable(format);
  }
  return rows;
}

function exportedValue({ name, declared }: PublishedColumn): string {
  return declared === 'DATETIME' ? instantOutside(identifier(name)) : identifier(name);
}

/** Text that looks like a formula gets an apostrophe, for safety in spreadsheets. */
function csvText(columns: PublishedTable['columns']) {
  return stringify({
    header: true,
    columns: columns.map(({ name }) => name),
    record_delimiter: '\r\n',
    quoted_string: true,
    cast: { string: spreadsheetText },
  });
}
