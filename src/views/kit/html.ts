import { linkFrom } from '../../domain/pages.ts';
import type { Column } from '../../storage/columns/column.ts';
import { type Html, html } from '../html/html.ts';
import { badge, facts, instant, section } from '../html/parts.ts';
import { named, table } from '../html/table.ts';
import { cellText, cellValue, isNumeric } from './cells.ts';
import { type Cell, type Sheet, sheetOf, withoutEmpty } from './sheet.ts';

/** Without `path`, cells are not links. Omits empty columns, except the first. The last `foot` rows are sums. */
export function htmlTable(
  sheet: Sheet,
  {
    caption,
    none = 'None.',
    path,
    foot = 0,
  }: { readonly caption: string; readonly path?: string | undefined; readonly none?: string; readonly foot?: number },
): Html {
  const { columns, rows } = withoutEmpty(sheet, (cell) => cellText(cell) === '');
  const cells = rows.map((row) => row.map((cell) => contentOf(cell, path)));
  return table({
    caption,
    columns: columns.map((column) => ({
      title: column.title ?? '',
      numeric: isNumeric(column),
      long: Boolean(column.long),
      importance: column.importance ?? (column.stays ? 2 : undefined),
    })),
    rows: cells.slice(0, cells.length - foot),
    foot: cells.slice(cells.length - foot),
    none,
  });
}

export function htmlSection<Row>(
  path: string,
  title: string,
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Html | undefined {
  return section(title, rows.length > 0 && htmlTable(sheetOf(columns, rows, 'people'), { caption, path }));
}

export function htmlFacts<Row>(path: string, columns: readonly Column<Row>[], row: Row): Html {
  const cells = sheetOf(columns, [row], 'people').rows.flat();
  return facts(cells.map((cell) => [cell?.column.title ?? '', contentOf(cell, path)]));
}

function contentOf(cell: Cell | undefined, path: string | undefined): Html | string | undefined {
  if (cell === undefined) return undefined;
  const { column, row } = cell;
  const own = column.page === undefined || cellText(cell) === '' ? ownContent(cell, path) : column.page(row, path);
  const note = column.note?.(row, path);
  return note === undefined ? own : html`${own ?? '–'}<br><span class="note">${note}</span>`;
}

function ownContent(cell: Cell, path: string | undefined): Html | string | undefined {
  const text = cellText(cell);
  if (text === '') return undefined;
  const { column, row } = cell;
  const to = column.link?.(row);
  if (path !== undefined && to !== undefined) return html`<a href="${linkFrom(path, to)}">${named(text)}</a>`;
  if (column.shown === undefined && column.kind === 'instant') return instant(String(cellValue(cell)));
  const word = column.shown === undefined && column.kind === 'state' ? column.word?.(row) : undefined;
  if (word) return badge(word);
  if (column.long === 'lines') return linesOf(text);
  return column.long || isNumeric(column) ? text : named(text);
}

export function linesOf(text: string): Html {
  return html`${text.split('\n').map((line, index) => html`${index > 0 && html`<br>`}${line}`)}`;
}
