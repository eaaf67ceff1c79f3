import { minuteText } from '../../domain/civil-date.ts';
import { formatMoney, formatMoneyRounded } from '../../domain/micros.ts';
import type { Column } from '../../storage/columns/column.ts';
import { oneLine } from '../text/text-layout.ts';
import type { Cell } from './sheet.ts';

export function isNumeric({ kind }: Column<never>): boolean {
  return kind === 'money' || kind === 'number' || kind === 'count' || kind === 'share';
}

export function cellValue(cell: Cell | undefined): unknown {
  return cell?.column.value?.(cell.row) ?? undefined;
}

export function cellText(cell: Cell | undefined): string {
  if (cell?.column.long === 'lines') return linesOf(cell).map(oneLine).join('\n');
  if (cell?.column.shown) return oneLine(cell.column.shown(cell.row) ?? '');
  const value = cellValue(cell);
  if (cell === undefined || value === undefined) return '';
  const { column, row } = cell;
  switch (column.kind) {
    case 'money':
      return (column.rounded === true ? formatMoneyRounded : formatMoney)(value as bigint, currencyOf(cell));
    case 'instant':
      return minuteText(String(value));
    case 'count':
      return (value as bigint | number).toLocaleString('en-US');
    case 'share':
      return `${((value as number) * 100).toFixed(1)}%`;
    case 'flag':
      return value === true ? 'yes' : 'no';
    case 'state':
      return oneLine(column.word?.(row)?.[0] ?? String(value));
    case 'list':
      return oneLine((value as readonly unknown[]).join(', '));
    case 'json':
      return oneLine(JSON.stringify(value));
    case 'text':
    case 'id':
    case 'number':
    case 'day':
      return oneLine(String(value));
  }
}

function linesOf({ column, row }: Cell): string[] {
  const said = (column.shown ?? column.value)?.(row) ?? '';
  return Array.isArray(said) ? said.map(String) : String(said).split(/\r?\n/);
}

export function currencyOf({ column, row }: Cell): string | undefined {
  return column.currency ? column.currency(row) : (row as { readonly currency?: string }).currency;
}
