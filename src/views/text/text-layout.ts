import stringWidth from 'string-width';
import { type Frozen, frozenLines } from '../../domain/frozen.ts';
import { graphemesOf, withoutIsolates } from '../../domain/outside-text.ts';
import type { AccountResult } from '../../language/results/report-result.ts';

/** Breaks a line inside a word only if the word is wider than a line. */
export function wrapText(text: string, width: number, first: string, others: string): string {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && stringWidth(line) + 1 + stringWidth(word) > width) {
      lines.push(line.trimEnd());
      line = others;
      empty = true;
    }
    const pieces = piecesOf(word, width - stringWidth(line) - (empty ? 0 : 1), width - stringWidth(others));
    line += `${empty ? '' : ' '}${pieces[0] ?? ''}`;
    for (const piece of pieces.slice(1)) {
      lines.push(line);
      line = `${others}${piece}`;
    }
    empty = false;
  }
  return [...lines, line].join('\n');
}

/** Returns one line of whole words. A longer text ends with an ellipsis. */
export function cutLine(text: string, width: number, indent: string): string {
  const [line = '', more] = wrapText(text, width - 1, indent, indent).split('\n');
  return more === undefined ? line : `${line}…`;
}

/** Each piece has at least one character, even if the width is too small. */
function piecesOf(word: string, firstRoom: number, room: number): string[] {
  if (stringWidth(word) <= firstRoom) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const grapheme of graphemesOf(word)) {
    const most = pieces.length === 0 ? firstRoom : room;
    if (piece !== '' && stringWidth(piece + grapheme) > most) {
      pieces.push(piece);
      piece = '';
    }
    piece += grapheme;
  }
  return [...pieces, piece];
}

export interface TextLayout {
  readonly width: number;
  readonly bold: (text: string) => string;
}

export type NameOf = (id: AccountResult['customerId']) => string;

/** Most lists show at most this many lines. */
export const LINES_MAX = 20;

export function withId(id: AccountResult['customerId'], nameOf: NameOf): string {
  const name = nameOf(id);
  return name === id ? id : `${name} (${id})`;
}

/** Replaces line breaks and control characters, because a name from the service could control the terminal. */
export function oneLine(text: string): string {
  return withoutIsolates(text)
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '·');
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

export function firstOf(names: readonly string[], shown: number): string {
  const rest = names.length - shown;
  return rest > 0 ? `${names.slice(0, shown).join(', ')} and ${rest.toLocaleString('en-US')} more` : names.join(', ');
}

export function namesOf(accounts: readonly Pick<AccountResult, 'customerId' | 'name'>[]): NameOf {
  const names = new Map(accounts.map(({ customerId, name }) => [customerId, name ?? customerId]));
  return (id) => oneLine(names.get(id) ?? id);
}

/** Shown before the first data, because zeros would look like real numbers. */
export const NOTHING_READ = 'No data yet. Run pacekeeper extract.';

export function frozenBlock(frozen: Frozen | undefined, { width, bold }: TextLayout): string {
  return frozenLines(frozen)
    .map((line) => bold(wrapText(oneLine(line), width, '', '  ')))
    .join('\n');
}

export function section(title: string, body: string, layout: TextLayout): string {
  return body === '' ? '' : `${layout.bold(title)}\n${body}`;
}

export function bullets(lines: readonly string[], { width }: TextLayout): string {
  return lines.map((line) => wrapText(oneLine(line), width, '  ', '    ')).join('\n');
}
