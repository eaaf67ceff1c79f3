import { randomInt } from 'node:crypto';
import { UNAMBIGUOUS } from '../../domain/channel.ts';

const LENGTH = 4;

/** A code that people can read to each other; of four characters there are 234,256. Whether it was given before is the table's to say. */
export function randomCode(length = LENGTH): string {
  return Array.from({ length }, () => UNAMBIGUOUS[randomInt(UNAMBIGUOUS.length)]).join('');
}

/** A code as a person may have typed it, as it is written. */
export function typedCode(text: string): string {
  return text.trim().toUpperCase();
}
