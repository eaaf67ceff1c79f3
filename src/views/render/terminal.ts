import stringWidth from 'string-width';
import { frozenBlock } from '../../report/sections.ts';
import { count, oneLine, type TextLayout } from '../../report/text-layout.ts';
import { textTable } from '../../report/text-table.ts';
import { wrapText } from '../../report/wrap-text.ts';
import type { Column } from '../column.ts';
import { type Listing, partsFor } from '../listing.ts';
import { joinedSheet, type Sheet, sheetOf } from '../sheet.ts';
import { cellLines, cellText, isNumeric } from './cells.ts';

const INDENT = '  ';
const BELOW = '    ';
/** A text may be cut to so much before the table becomes blocks. */
const TEXT_WIDTH_MIN = 14;
const GAP = 2;
/** Of a block: so many columns say which row it is. */
const HEAD_COLUMNS = 3;

/** A listing for a person at a terminal: its parts that are not empty, one below the other, or all as one list. */
export function terminalListing<Answer>(listing: Listing<Answer>, answer: Answer, layout: TextLayout): string {
  const said = (sentences: readonly string[] = []) =>
    sentences.map((sentence) => wrapText(oneLine(sentence), layout.width, '', ''));
  const blocks = [
    frozenBlock(listing.frozen?.(answer), layout),
    ...said(listing.head?.(answer)),
    ...tablesOf(listing, answer, layout),
    ...said(listing.after?.(answer)),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function tablesOf<Answer>(listing: Listing<Answer>, answer: Answer, layout: TextLayout): string[] {
  const told = partsFor(listing.parts, 'people').filter(({ rows }) => rows(answer).length > 0);
  if (told.length === 0) return [wrapText(listing.none, layout.width, '', '')];
  if (told.some(({ at }) => at !== undefined)) {
    return [terminalTable(joinedSheet({ parts: told }, answer, 'people'), layout)];
  }
  return told.map(({ title, columns, rows, atMost = Number.POSITIVE_INFINITY }) => {
    const all = rows(answer);
    const more = all.length - atMost;
    const table = terminalTable(sheetOf(columns, all.slice(0, atMost), 'people'), layout);
    const rest =
      more > 0 ? [wrapText(`and ${count(more, 'more row')}; --format json has all.`, layout.width, INDENT, BELOW)] : [];
    return [...(listing.parts.length === 1 ? [] : [layout.bold(title)]), table, ...rest].join('\n');
  });
}

/** A cell as it stands in the terminal. */
interface Shown {
  readonly column: Column<never>;
  readonly text: string;
  readonly lines: readonly string[];
}

/**
 * Rows as aligned columns, long texts below their row; columns without any text are left out. Where the columns do not fit the
 * width, each row is a block: its first columns on a line, the others by their titles.
 */
export function terminalTable({ columns, rows }: Sheet, layout: TextLayout): string {
  const shown = rows.map((row) =>
    columns.map((column, index): Shown => ({ column, text: cellText(row[index]), lines: cellLines(row[index]) })),
  );
  const isUsed = (wanted: Column<never>) =>
    shown.some((row) => row.some(({ column, text }) => column === wanted && text !== ''));
  const aligned = columns.filter((column) => column.long !== true && isUsed(column));
  const short = shown.map((row) => row.filter(({ column }) => aligned.includes(column)));
  const indent = aligned.length === 0 ? INDENT : BELOW;
  const below = shown.map((row) =>
    row
      .filter(({ column }) => column.long === true)
      .flatMap(({ lines }) => lines.map((line) => wrapText(line, layout.width, indent, BELOW))),
  );
  if (aligned.length === 0) return below.flat().join('\n');
  if (narrowestOf(aligned, short) > layout.width - INDENT.length) {
    return short.flatMap((row, index) => [...block(row, layout), ...(below[index] ?? [])]).join('\n');
  }
  const [head = '', ...body] = textTable(
    aligned.map((column) => ({
      title: column.title ?? '',
      align: isNumeric(column) ? 'right' : 'left',
      flexible: isFlexible(column),
    })),
    short.map((row) => row.map(({ text }) => text)),
    layout.width - INDENT.length,
  ).split('\n');
  const lines = body.flatMap((line, index) => [`${INDENT}${line}`, ...(below[index] ?? [])]);
  return [layout.bold(`${INDENT}${head}`), ...lines].join('\n');
}

function isFlexible(column: Column<never>): boolean {
  return column.kind === 'text' || column.kind === 'list' || (column.shown !== undefined && !isNumeric(column));
}

/** So wide the table is at least. */
function narrowestOf(columns: readonly Column<never>[], rows: readonly (readonly Shown[])[]): number {
  return columns.reduce((sum, column, index) => {
    const widths = rows.map((row) => stringWidth(row[index]?.text ?? ''));
    const widest = Math.max(stringWidth(column.title ?? ''), ...widths);
    return sum + GAP + (isFlexible(column) ? Math.min(widest, TEXT_WIDTH_MIN) : widest);
  }, 0);
}

function block(row: readonly Shown[], { width, bold }: TextLayout): string[] {
  const told = row.filter(({ text }) => text !== '');
  const head = told.slice(0, HEAD_COLUMNS).map(({ text }) => text);
  const rest = told.slice(HEAD_COLUMNS).map(({ column, text }) => `${column.title} ${text}`);
  return [
    bold(wrapText(head.join('  '), width, INDENT, BELOW)),
    ...(rest.length === 0 ? [] : [wrapText(rest.join(', '), width, BELOW, BELOW)]),
  ];
}
