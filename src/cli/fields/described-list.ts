import stringWidth from 'string-width';
import { sentences } from './sentences.ts';

/** A line of a list: a name, its type or a count, and what it is. */
export interface DescribedName {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

/** From this width on a description has room beside name and type. */
const ONE_LINE_WIDTH_MIN = 120;
const NAME_SHARE = 0.45;
const TYPE_WIDTH_MAX = 13;
const INDENT = '  ';

/**
 * One line per name, or in narrow terminals two, the description in the second. Names are never cut, so that they can be
 * copied: a long one has a line of its own. Descriptions are cut to their first sentence, and that to `width` columns.
 */
export function describedList(entries: readonly DescribedName[], width: number): string {
  const described = entries.some(({ description }) => description !== '');
  const lines = described && width < ONE_LINE_WIDTH_MIN ? narrow(entries, width) : wide(entries, width);
  return lines.map((line) => line.trimEnd()).join('\n');
}

function wide(entries: readonly DescribedName[], width: number): string[] {
  const nameWidth = columnWidth(entries, 'name', Math.floor(width * NAME_SHARE));
  if (nameWidth === 0) return narrow(entries, width);
  const typeWidth = columnWidth(entries, 'type', TYPE_WIDTH_MAX);
  return entries.flatMap(({ name, type, description }) => {
    const long = stringWidth(name) > nameWidth;
    const head = [long ? '' : name, type].map((text, index) => text.padEnd([nameWidth, typeWidth][index] ?? 0));
    const start = `${INDENT}${head.filter((text) => text !== '').join('  ')}  `;
    const line = `${start}${cut(sentences(description)[0] ?? '', width - stringWidth(start))}`;
    return long ? [`${INDENT}${name}`, line] : [line];
  });
}

/** As wide as the widest text that is not wider than `widthMax`. */
function columnWidth(entries: readonly DescribedName[], column: 'name' | 'type', widthMax: number): number {
  return Math.max(0, ...entries.map((entry) => stringWidth(entry[column])).filter((length) => length <= widthMax));
}

function narrow(entries: readonly DescribedName[], width: number): string[] {
  return entries.flatMap(({ name, type, description }) => {
    const oneLine = stringWidth(name) + 2 + stringWidth(type) + INDENT.length <= width;
    const head = oneLine ? [`${INDENT}${name}  ${type}`] : [`${INDENT}${name}`, `${INDENT}${INDENT}${type}`];
    const text = cut(sentences(description)[0] ?? '', width - 2 * INDENT.length);
    return text === '' ? head : [...head, `${INDENT}${INDENT}${text}`];
  });
}

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = '';
  for (const character of text) {
    if (stringWidth(shown + character) >= width) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}
