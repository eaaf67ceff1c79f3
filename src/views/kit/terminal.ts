import stringWidth from 'string-width';
import type { Column } from '../../storage/columns/column.ts';
import { count, frozenBlock, oneLine, type TextLayout, wrapText } from '../text/text-layout.ts';
import { tableRows, widestOf } from '../text/text-table.ts';
import { cellText, isNumeric } from './cells.ts';
import { type Listing, partsFor } from './listing.ts';
import { joinedSheet, type Sheet, sheetOf, withoutEmpty } from './sheet.ts';

const INDENT = '  ';
const BELOW = '    ';
const TEXT_WIDTH_MIN = 14;
const GAP = 2;
/** If a row becomes a block of lines, at most this many columns form its heading. */
const HEAD_COLUMNS = 3;

export function terminalListing<Answer>(listing: Listing<Answer>, answer: Answer, layout: TextLayout): string {
  const blocks = [
    frozenBlock(listing.frozen?.(answer), layout),
    (listing.before?.(answer) ?? []).map((line) => wrapText(oneLine(line), layout.width, '', INDENT)).join('\n'),
    ...tablesOf(listing, answer, layout),
    ...(listing.after?.(answer) ?? []).map((sentence) => wrapText(oneLine(sentence), layout.width, '', '')),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function tablesOf<Answer>(listing: Listing<Answer>, answer: Answer, layout: TextLayout): string[] {
  const parts = partsFor(listing.parts, 'people');
  const told = parts.filter(({ rows }) => rows(answer).length > 0);
  if (told.length === 0) return [wrapText(listing.none ?? '', layout.width, '', '')];
  if (told.some(({ at }) => at !== undefined)) {
    return [terminalTable(joinedSheet({ parts: told }, answer, 'people'), layout)];
  }
  return told.map(({ title, columns, rows, atMost = Number.POSITIVE_INFINITY }) => {
    const all = rows(answer);
    const table = terminalTable(sheetOf(columns, all.slice(0, atMost), 'people'), layout);
    const more = all.length > atMost ? [moreRows(all.length - atMost, layout)] : [];
    return [...(parts.length === 1 ? [] : [layout.bold(title)]), table, ...more].join('\n');
  });
}

export function moreRows(more: number, { width }: TextLayout): string {
  return wrapText(`and ${count(more, 'more row')}. --format json lists all.`, width, INDENT, BELOW);
}

interface Shown {
  readonly column: Column<never>;
  readonly text: string;
}

export function terminalTable(sheet: Sheet, layout: TextLayout): string {
  const { columns, rows } = withoutEmpty(sheet, (cell) => cellText(cell) === '');
  const shown = rows.map((row) => columns.map((column, index): Shown => ({ column, text: cellText(row[index]) })));
  const aligned = columns.filter(({ long }) => !long);
  const short = shown.map((row) => row.filter(({ column }) => !column.long));
  const indent = aligned.length === 0 ? INDENT : BELOW;
  const below = shown.map((row) =>
    row
      .filter(({ column, text }) => column.long && text !== '')
      .flatMap(({ text }) => text.split('\n').map((line) => wrapText(line, layout.width, indent, BELOW).trimEnd())),
  );
  if (aligned.length === 0) return below.flat().join('\n');
  if (narrowestOf(aligned, short) > layout.width - INDENT.length) {
    return short.flatMap((row, index) => [...block(row, layout), ...(below[index] ?? [])]).join('\n');
  }
  const [head = '', ...body] = tableRows(
    aligned.map((column) => ({
      title: column.title ?? '',
      align: isNumeric(column) ? 'right' : 'left',
      flexible: column.wraps ? 'wraps' : isFlexible(column),
    })),
    short.map((row) => row.map(({ text }) => text)),
    layout.width - INDENT.length,
  );
  const lines = body.flatMap((row, index) => [row.replaceAll(/^(?=.)/gm, INDENT), ...(below[index] ?? [])]);
  return [layout.bold(`${INDENT}${head}`), ...lines].join('\n');
}

/** Ids stay complete, because people copy them. */
function isFlexible({ kind, wraps }: Column<never>): boolean {
  return kind === 'text' || kind === 'list' || wraps === true;
}

function narrowestOf(columns: readonly Column<never>[], rows: readonly (readonly Shown[])[]): number {
  return columns.reduce((sum, column, index) => {
    const widest = widestOf(
      column.title ?? '',
      rows.map((row) => row[index]?.text ?? ''),
    );
    return sum + GAP + (isFlexible(column) ? Math.min(widest, TEXT_WIDTH_MIN) : widest);
  }, 0);
}

function block(row: readonly Shown[], { width, bold }: TextLayout): string[] {
  const told = row.filter(({ text }) => text !== '');
  const number = told.findIndex(({ column }) => isNumeric(column));
  const named = number > 0 ? Math.min(number, HEAD_COLUMNS) : HEAD_COLUMNS;
  const head = told.slice(0, named).map(({ text }) => text);
  const rest = told.slice(named).map(({ column, text }) => `${column.title?.toLowerCase()} ${text}`);
  const isTooLong = told
    .slice(0, named)
    .some(({ column, text }) => column.kind === 'id' && !column.shown && stringWidth(text) > width - INDENT.length);
  const lines = isTooLong
    ? head.map((text, index) => `${index === 0 ? INDENT : BELOW}${text}`).join('\n')
    : wrapText(head.join('  '), width, INDENT, BELOW);
  return [bold(lines), ...(rest.length === 0 ? [] : [factsText(rest, width)])];
}

function factsText(facts: readonly string[], width: number): string {
  const words = facts.map((fact) => (stringWidth(fact) < width - BELOW.length ? fact.replaceAll(' ', '\u00a0') : fact));
  return wrapText(words.join(', '), width, BELOW, BELOW).replaceAll('\u00a0', ' ');
}
