import stringWidth from 'string-width';
import type { TextLayout } from '../../report/text-layout.ts';
import type { Column } from '../../views/column.ts';
import { cellText } from '../../views/render/cells.ts';
import { terminalTable } from '../../views/render/terminal.ts';
import { sheetOf } from '../../views/sheet.ts';

/** From this width on a description has room beside its name. */
const BESIDE_WIDTH_MIN = 120;
const NAME_SHARE = 0.45;

/** Names with what they are, beside them where there is room and else below. */
export function nameTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], layout: TextLayout): string {
  const names = sheetOf(columns, rows, 'people').rows.map(([name]) => stringWidth(cellText(name)));
  const isBelow = layout.width < BESIDE_WIDTH_MIN || Math.max(...names) > layout.width * NAME_SHARE;
  const placed = columns.map((column) => (column.key === 'description' ? { ...column, long: isBelow } : column));
  return terminalTable(sheetOf(placed, rows, 'people'), layout);
}
