import { amountCell, dayCell, instantCell, numberCell } from '../../storage/workbook/cells.ts';
import { createWorkbook, type WorkbookCell } from '../../storage/workbook/workbook.ts';
import { cellText, cellValue, currencyOf, isNumeric } from './cells.ts';
import type { Listing } from './listing.ts';
import { keyHeads, plainValue, visible } from './rows.ts';
import { type Cell, joinedSheet, type Sheet, withoutEmpty } from './sheet.ts';

type Clean = (text: string) => string;

export function workbookListing<Answer>(listing: Listing<Answer>, answer: Answer, clean?: Clean): Uint8Array {
  return rowsWorkbook(listing.name, joinedSheet(listing, answer, 'rows'), clean);
}

/** The columns of the CSV file. */
export function rowsWorkbook(name: string, { columns, rows }: Sheet, clean?: Clean): Uint8Array {
  const lines = rows.map((row) =>
    row.flatMap((cell, index) => {
      if (columns[index]?.kind !== 'money') return [valueCell(cell)];
      const micros = cellValue(cell);
      return [typeof micros === 'bigint' ? numberCell(micros) : undefined, valueCell(cell)];
    }),
  );
  return oneSheet(name, keyHeads(columns), lines, clean);
}

/** A table as people see it, with exact numbers. */
export function shownWorkbook(name: string, sheet: Sheet): Uint8Array {
  const { columns, rows } = withoutEmpty(sheet, (cell) => cellText(cell) === '');
  const cellOf = (cell: Cell | undefined) => {
    if (cell === undefined) return undefined;
    const { kind, shown } = cell.column;
    const isTime = (kind === 'day' || kind === 'instant') && shown === undefined;
    return isNumeric(cell.column) || isTime ? valueCell(cell) : visible(cellText(cell));
  };
  return oneSheet(
    name,
    columns.map(({ title = '' }) => title),
    rows.map((row) => row.map(cellOf)),
  );
}

function valueCell(cell: Cell | undefined): WorkbookCell {
  const value = cellValue(cell);
  if (cell === undefined || value === undefined || value === null) return undefined;
  const { kind } = cell.column;
  if (kind === 'money' && typeof value === 'bigint') return amountCell(value, currencyOf(cell));
  if (kind === 'id') return String(value);
  if (kind === 'day') return dayCell(String(value));
  if (kind === 'instant') return instantCell(String(value));
  return plainCell(value, kind === 'share' ? '0.0%' : undefined);
}

/** A value without a known kind. */
export function plainCell(value: unknown, format?: string): WorkbookCell {
  if (typeof value === 'boolean') return value;
  const plain = plainValue(value);
  return typeof plain === 'string' ? plain : numberCell(plain, format);
}

function oneSheet(
  name: string,
  heads: readonly string[],
  rows: readonly (readonly WorkbookCell[])[],
  clean: Clean = (text) => text,
): Uint8Array {
  const chunks: Uint8Array[] = [];
  const workbook = createWorkbook((chunk) => void chunks.push(chunk));
  workbook.sheet(name, heads);
  for (const row of rows) workbook.row(row.map((cell) => (typeof cell === 'string' ? clean(cell) : cell)));
  workbook.end();
  return Buffer.concat(chunks);
}
