import { cutText } from '../../domain/outside-text.ts';

type Hide = (text: string) => string;

/** In UTF-16 units, for external text in errors. */
export const SENTENCE_LENGTH_MAX = 500;
export const DETAILS_MAX = 20;
const ID_LENGTH_MAX = 200;
const WORD_LENGTH_MAX = 100;
const NAME_LENGTH_MAX = 500;

/** Redacts before cutting, because half a secret would not be recognised. `lengthMax` counts UTF-16 units. */
export function tellable(text: string, redact: Hide, lengthMax: number): string {
  return cutText(redact(text), lengthMax);
}

export function tellableWord<Word extends string | undefined>(word: Word, redact: Hide): Word | string {
  return word === undefined ? word : tellable(word, redact, WORD_LENGTH_MAX);
}

export function tellableName(name: string | undefined, redact: Hide): string | undefined {
  return name === undefined ? undefined : tellable(name, redact, NAME_LENGTH_MAX);
}

export function tellableId(id: string | undefined, redact: Hide): string | undefined {
  return id === undefined ? undefined : redact(id).slice(0, ID_LENGTH_MAX);
}

export function moreDetails(count: number): string[] {
  const more = count - DETAILS_MAX;
  return more <= 0 ? [] : [`and ${more.toLocaleString('en-US')} more ${more === 1 ? 'error' : 'errors'}`];
}
