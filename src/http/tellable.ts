import { cutText } from '../domain/outside-text.ts';

/** Takes out of a text what nobody is to read. */
type Hide = (text: string) => string;

/** Of what a service says of one mistake, in UTF-16 units. */
export const SENTENCE_LENGTH_MAX = 500;
/** As many of the mistakes that a refusal names are told. */
export const DETAILS_MAX = 20;
const ID_LENGTH_MAX = 200;
const WORD_LENGTH_MAX = 100;
/** Longer than any name that an interface takes. */
const NAME_LENGTH_MAX = 500;

/**
 * A text of a service as it may stand in an error, a record or a message, in at most so many UTF-16 units. Secrets that it
 * repeats go before it is cut: half a secret would not be known as one.
 */
export function tellable(text: string, redact: Hide, lengthMax: number): string {
  return cutText(redact(text), lengthMax);
}

/** A word of a service, such as a status, as it is shown. */
export function tellableWord<Word extends string | undefined>(word: Word, redact: Hide): Word | string {
  return word === undefined ? word : tellable(word, redact, WORD_LENGTH_MAX);
}

/** A name that somebody gave to an account, a campaign, a page or a number. */
export function tellableName(name: string | undefined, redact: Hide): string | undefined {
  return name === undefined ? undefined : tellable(name, redact, NAME_LENGTH_MAX);
}

/** A service's name of a request as it may stand in an error or a database: without secrets that it repeats, and no page. */
export function tellableId(id: string | undefined, redact: Hide): string | undefined {
  return id === undefined ? undefined : redact(id).slice(0, ID_LENGTH_MAX);
}

/** Of what a refusal names beyond {@link DETAILS_MAX}: a line, or nothing. */
export function moreDetails(count: number): string[] {
  const more = count - DETAILS_MAX;
  return more <= 0 ? [] : [`and ${more.toLocaleString('en-US')} more ${more === 1 ? 'error' : 'errors'}`];
}
