import { randomInt } from 'node:crypto';

/** Without the letters and digits that people mistake for one another: 0 O Q, 1 I L, 2 Z, 5 S, 8 B, U V. */
const ALPHABET = 'ACDEFGHJKMNPRTWXY34679';
const LENGTH = 4;

/** A code of which there are 234,256; whether it was given before is the table's to say. */
export function randomCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A code as a person may have typed it, as it is written. */
export function typedCode(text: string): string {
  return text.trim().toUpperCase();
}
