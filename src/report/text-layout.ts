import { withoutIsolates } from '../domain/outside-text.ts';
import type { AccountResult } from './report-result.ts';

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
