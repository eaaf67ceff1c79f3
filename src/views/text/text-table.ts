import Table from 'cli-table3';
import stringWidth from 'string-width';
import { chunksOf } from '../../domain/chunks.ts';
import { type TextLayout, wrapText } from './text-layout.ts';

export interface TableColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** True: cells may be cut. `wraps`: cells may be wrapped. */
  readonly flexible?: boolean | 'wraps';
  /** True if a narrow table drops other columns first. */
  readonly stays?: boolean | undefined;
}

const INDENT = '  ';
const GAP = 2;
const FLEXIBLE_WIDTH_MIN = 12;
/** The first column names the row. */
const NAME_WIDTH_MIN = 24;

const LINES = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
];
const NO_LINES = Object.fromEntries(LINES.map((name) => [name, '']));

/** Drops columns from the right until the others fit, and names them below. `below` has lines for below each row. */
export function textTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { width, bold }: TextLayout,
  below: readonly (readonly string[])[] = [],
): string {
  const dropped = droppedFrom(columns, rows, width);
  const kept = <Item>(row: readonly Item[]) => row.filter((_, index) => !dropped.has(index));
  const [head = '', ...body] = tableRows(kept(columns), rows.map(kept), width);
  const lines = body.flatMap((row, index) => [row.replaceAll(/^(?=.)/gm, INDENT), ...(below[index] ?? [])]);
  const titles = columns.filter(({ title }, index) => title !== '' && dropped.has(index)).map(({ title }) => title);
  const left = `Left out: ${titles.join(', ')}. A wider terminal or --format json shows them.`;
  const note = titles.length === 0 ? [] : [wrapText(left, width, INDENT, INDENT)];
  return [bold(`${INDENT}${head}`), ...lines, ...note].join('\n');
}

function droppedFrom(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): ReadonlySet<number> {
  const widths = columns.map(({ title, flexible = false }, index) => {
    const widest = widestOf(title, columnOf(rows, index));
    const least = index === 0 && flexible === true ? NAME_WIDTH_MIN : FLEXIBLE_WIDTH_MIN;
    return GAP + (flexible === false ? widest : Math.min(widest, least));
  });
  const dropped = new Set<number>();
  let room = width - widths.reduce((sum, one) => sum + one, 0);
  const byRank = [...columns.keys()].slice(1).toReversed();
  for (const index of byRank.toSorted((a, b) => Number(columns[a]?.stays ?? 0) - Number(columns[b]?.stays ?? 0))) {
    if (room >= 0) break;
    dropped.add(index);
    room += widths[index] ?? 0;
  }
  return dropped;
}

const columnOf = (rows: readonly (readonly string[])[], index: number) => rows.map((row) => row[index] ?? '');

/** Returns one text for the head and one text for each row. */
function tableRows(columns: readonly TableColumn[], rows: readonly (readonly string[])[], width: number): string[] {
  const natural = columns.map(({ title }, index) => widestOf(title, columnOf(rows, index)));
  const isFlexible = (index: number) => (columns[index]?.flexible ?? false) !== false;
  const fixed = natural.filter((_, index) => !isFlexible(index)).reduce((sum, one) => sum + one, 0);
  const share = shareOf(
    natural.filter((_, index) => isFlexible(index)),
    width - fixed - columns.length * GAP,
  );
  const widths = natural.map((one, index) => (isFlexible(index) ? Math.min(one, share) : one));
  const wrapped = rows.map((row) =>
    row.map((text, index) =>
      columns[index]?.flexible === 'wraps' ? wrapText(text, widths[index] ?? width, '', '') : text,
    ),
  );
  const portions = chunksOf([columns.map(({ title }) => title), ...wrapped], ROWS_TOGETHER);
  return portions.flatMap((portion) => {
    const table = new Table({
      colAligns: columns.map(({ align }) => align),
      colWidths: widths.map((one) => one + GAP),
      chars: NO_LINES,
      style: { border: [], 'padding-left': 0, 'padding-right': GAP },
    });
    table.push(...portion);
    const lines = table
      .toString()
      .split('\n')
      .map((line) => line.trimEnd());
    const heights = portion.map((row) => Math.max(1, ...row.map((text) => text.split('\n').length)));
    return heights.map((height) => lines.splice(0, height).join('\n'));
  });
}

/** Small, because the table library's time grows with the square of the rows. */
const ROWS_TOGETHER = 100;

/** Not Math.max with all rows as arguments, because JavaScript limits their number. */
export function widestOf(title: string, rows: readonly string[]): number {
  return rows.reduce((widest, text) => Math.max(widest, stringWidth(text)), stringWidth(title));
}

function shareOf(wanted: readonly number[], room: number): number {
  const ascending = wanted.toSorted((a, b) => a - b);
  let left = room;
  for (const [index, one] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (one > share) return Math.max(FLEXIBLE_WIDTH_MIN, share);
    left -= one;
  }
  return Number.POSITIVE_INFINITY;
}
