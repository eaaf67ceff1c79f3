import { closeSync, openSync, writeSync } from 'node:fs';
import { UNITS } from '../../../language/gaql/catalogue/units.ts';
import { amountCell, dayCell, instantCell, numberCell } from '../../workbook/cells.ts';
import { createWorkbook, type WorkbookCell } from '../../workbook/workbook.ts';
import { identifier } from '../query-table.ts';
import type { PublishedTables, PublishedValue } from '../sqlite/published-file.ts';
import { instantOutside, type PublishedColumn, type PublishedTable } from './published-table.ts';

const PAUSE_ROWS = 1000;

/** Writes a sheet for each table, and more if it has too many rows. Returns the number of texts that were cut. */
export async function exportWorkbook(
  warehouse: PublishedTables,
  tables: readonly PublishedTable[],
  path: string,
  pause: () => Promise<void>,
): Promise<{ readonly cutTexts: number }> {
  const file = openSync(path, 'w');
  try {
    const workbook = createWorkbook((chunk) => writeAll(file, chunk));
    for (const { name, columns } of tables) {
      await pause();
      const currency = columns.findIndex((column) => column.name === 'currency');
      workbook.sheet(
        name,
        columns.map((column) => column.name),
      );
      let count = 0;
      for (const row of warehouse.rows(name, columns.map(valueIn))) {
        const code = row[currency];
        workbook.row(
          row.map((value, index) => cellOf(columns[index], value, typeof code === 'string' ? code : undefined)),
        );
        count += 1;
        if (count % PAUSE_ROWS === 0) await pause();
      }
    }
    return workbook.end();
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
}

/** An amount is read as its exact micros. */
function valueIn({ name, declared, micros }: PublishedColumn): string {
  return declared === 'DATETIME' ? instantOutside(identifier(name)) : identifier(micros ?? name);
}

function cellOf(
  column: PublishedColumn | undefined,
  value: PublishedValue,
  currency: string | undefined,
): WorkbookCell {
  if (value === null) return undefined;
  if (typeof value === 'string') {
    if (column?.declared === 'DATE') return dayCell(value);
    return column?.declared === 'DATETIME' ? instantCell(value) : value;
  }
  if (column?.unit === UNITS.id) return String(value);
  if (column?.declared === 'BOOLEAN') return value !== 0n;
  if (column?.micros !== undefined && typeof value === 'bigint') return amountCell(value, currency);
  return numberCell(value, column?.unit === UNITS.ratio ? '0.00%' : undefined);
}
