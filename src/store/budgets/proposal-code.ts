import { randomInt } from 'node:crypto';
import { UNAMBIGUOUS } from '../../domain/channel.ts';

const LENGTH = 4;

/** The code is easy to read aloud. Four characters allow 234,256 codes. The caller checks for duplicates. */
export function randomCode(length = LENGTH): string {
  return Array.from({ length }, () => UNAMBIGUOUS[randomInt(UNAMBIGUOUS.length)]).join('');
}

export function typedCode(text: string): string {
  return text.trim().toUpperCase();
}
