import { sentences } from './sentences.ts';

/** `metrics.cost_micros` and "Metrics: cost micros" alike: small letters and digits, a space between two words. */
export function words(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export const NOT_THERE = 4;

/**
 * How near a name comes to what is wanted. 0: it is all of it, or all behind the first dot; 1: whole words behind the
 * first dot; 2: whole words; 3: a part of a word; 4: not there. A plural is the same word.
 */
export function nearnessOfName(wanted: string, name: string): number {
  const all = words(name);
  const behind = words(name.slice(name.indexOf('.') + 1));
  if ([all, behind].some((part) => part === wanted || part === `${wanted}s`)) return 0;
  return hasWord(wanted, behind) ? 1 : nearnessOfText(wanted, name);
}

/** The same for a text that is no name: 2, 3 or 4. */
export function nearnessOfText(wanted: string, text: string): number {
  const all = words(text);
  if (hasWord(wanted, all)) return 2;
  return all.includes(wanted) ? 3 : NOT_THERE;
}

/** Both as `words` gives them. */
export function hasWord(wanted: string, text: string): boolean {
  return [wanted, `${wanted}s`].some((word) => ` ${text} `.includes(` ${word} `));
}

/** The sentence that has the word; the first where none has. */
export function sentenceWith(word: string, text: string): string {
  const all = sentences(text);
  return all.find((sentence) => words(sentence).includes(words(word))) ?? all[0] ?? '';
}
