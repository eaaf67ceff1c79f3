import stringWidth from 'string-width';
import { type Frozen, frozenLines } from '../domain/frozen.ts';
import { withoutIsolates } from '../domain/outside-text.ts';
import type { AccountResult } from '../results/report-result.ts';

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Breaks a line between words so that it fits `width` columns, and a word that is wider than a line where the line ends; the
 * first line and the others begin as given.
 */
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

/** The word as it stands where it fits; else parts of at most so many columns, one character at the least. */
function piecesOf(word: string, firstRoom: number, room: number): string[] {
  if (stringWidth(word) <= firstRoom) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const { segment } of CHARACTERS.segment(word)) {
    const most = pieces.length === 0 ? firstRoom : room;
    if (piece !== '' && stringWidth(piece + segment) > most) {
      pieces.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...pieces, piece];
}

/** How the text is laid out: the terminal's width, and emphasis where the stream can show it. */
export interface TextLayout {
  readonly width: number;
  readonly bold: (text: string) => string;
}

/** How an account is called; its id where it has no name. */
export type NameOf = (id: AccountResult['customerId']) => string;

/** What a person reads line by line. Longer lists are summed up, and only what went wrong is told one by one. */
export const LINES_MAX = 20;

/** Names are for reading, the id is for looking an account up: it stands wherever there is room. */
export function withId(id: AccountResult['customerId'], nameOf: NameOf): string {
  const name = nameOf(id);
  return name === id ? id : `${name} (${id})`;
}

/** Names come from outside: a line break or a control character must not redraw the terminal. */
export function oneLine(text: string): string {
  return withoutIsolates(text)
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '·');
}

/** `1 slice`, `2,000 slices`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

/** "make 1 change, hold back 2 and send 3 alerts". */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** The first names of a list, and how many there are more. */
export function firstOf(names: readonly string[], shown: number): string {
  const rest = names.length - shown;
  return rest > 0 ? `${names.slice(0, shown).join(', ')} and ${rest.toLocaleString('en-US')} more` : names.join(', ');
}

export function namesOf(accounts: readonly Pick<AccountResult, 'customerId' | 'name'>[]): NameOf {
  const names = new Map(accounts.map(({ customerId, name }) => [customerId, name ?? customerId]));
  return (id) => oneLine(names.get(id) ?? id);
}

/** Where no day was read yet, zeros would look like an answer. */
export const NOTHING_READ = 'Nothing can be said yet: run pacekeeper extract first.';

/** The first lines of what is shown while budgets are frozen. */
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
