import { type Html, html } from '../../page/html.ts';
import { badge, instant } from '../../page/status/parts.ts';
import { type Cell as Content, named, table } from '../../page/table.ts';
import { type Cell, type Sheet, withoutEmpty } from '../sheet.ts';
import { cellText, cellValue, isNumeric } from './cells.ts';

/**
 * Rows as a table of a page; the first column heads its row, and one without anything in it is left out. `root` leads from the
 * page to the root of the pages.
 */
export function htmlTable(
  sheet: Sheet,
  {
    caption,
    none = 'None.',
    root = './',
  }: { readonly caption: string; readonly none?: string; readonly root?: string },
): Html {
  const { columns, rows } = withoutEmpty(sheet, (cell) => cellText(cell) === '');
  return table({
    caption,
    columns: columns.map((column) => ({
      title: column.title ?? '',
      numeric: isNumeric(column),
      long: Boolean(column.long),
    })),
    rows: rows.map((row) => row.map((cell) => contentOf(cell, root))),
    none,
  });
}

function contentOf(cell: Cell | undefined, root: string): Content {
  const text = cellText(cell);
  if (cell === undefined || text === '') return undefined;
  const { column, row } = cell;
  const to = column.link?.(row);
  if (to !== undefined) return html`<a href="${root}${to}">${named(text)}</a>`;
  if (column.shown === undefined && column.kind === 'instant') return instant(String(cellValue(cell)));
  const word = column.shown === undefined && column.kind === 'state' ? column.word?.(row) : undefined;
  if (word) return badge(word);
  return column.long || isNumeric(column) ? text : named(text);
}
