import { type Html, html } from '../../page/html.ts';
import { badge, facts, instant, section } from '../../page/status/parts.ts';
import { named, table } from '../../page/table.ts';
import type { Column } from '../column.ts';
import { type Cell, type Sheet, sheetOf, withoutEmpty } from '../sheet.ts';
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
  }: { readonly caption: string; readonly none?: string; readonly root?: string | undefined },
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

/** Rows as a table under a heading; nothing where there is none. */
export function htmlSection<Row>(
  title: string,
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  root?: string,
): Html | undefined {
  return section(title, rows.length > 0 && htmlTable(sheetOf(columns, rows, 'people'), { caption, root }));
}

/** A row as a list of facts, by the columns' titles. */
export function htmlFacts<Row>(columns: readonly Column<Row>[], row: Row, root = './'): Html {
  const cells = sheetOf(columns, [row], 'people').rows.flat();
  return facts(cells.map((cell) => [cell?.column.title ?? '', contentOf(cell, root)]));
}

function contentOf(cell: Cell | undefined, root: string): Html | string | undefined {
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
