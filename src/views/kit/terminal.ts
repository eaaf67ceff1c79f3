import { count, frozenBlock, oneLine, type TextLayout, wrapText } from '../text/text-layout.ts';
import { textTable } from '../text/text-table.ts';
import { cellText, isNumeric } from './cells.ts';
import { type Listing, partsFor } from './listing.ts';
import { joinedSheet, type Sheet, sheetOf, withoutEmpty } from './sheet.ts';

const INDENT = '  ';
const BELOW = '    ';

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
  const filled = parts.filter(({ rows }) => rows(answer).length > 0);
  const told = [...filled.filter(({ serious }) => serious), ...filled.filter(({ serious }) => !serious)];
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

export function terminalTable(sheet: Sheet, layout: TextLayout): string {
  const { columns, rows } = withoutEmpty(sheet, (cell) => cellText(cell) === '');
  const texts = rows.map((row) => row.map(cellText));
  const aligned = <Item>(row: readonly Item[]) => row.filter((_, index) => !columns[index]?.long);
  const short = aligned(columns);
  const indent = short.length === 0 ? INDENT : BELOW;
  const below = texts.map((row) =>
    row
      .filter((text, index) => columns[index]?.long && text !== '')
      .flatMap((text) => text.split('\n').map((line) => wrapText(line, layout.width, indent, BELOW).trimEnd())),
  );
  if (short.length === 0) return below.flat().join('\n');
  // Ids stay complete, because people copy them.
  const titled = short.map((column) => ({
    title: column.title ?? '',
    align: isNumeric(column) ? ('right' as const) : ('left' as const),
    flexible:
      column.wraps || column.kind === 'state' ? ('wraps' as const) : column.kind === 'text' || column.kind === 'list',
    stays: column.stays,
  }));
  return textTable(titled, texts.map(aligned), layout, below);
}
