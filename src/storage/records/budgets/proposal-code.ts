import { randomInt } from 'node:crypto';
import { UNAMBIGUOUS } from '../../../domain/channel.ts';

const LENGTH = 4;

/** Four characters allow only 234,256 codes, so the caller must check for duplicates. */
export function randomCode(length = LENGTH): string {
  return Array.from({ length }, () => UNAMBIGUOUS[randomInt(UNAMBIGUOUS.length)]).join('');
}

export function typedCode(text: string): string {
  return text.trim().toUpperCase();
}
