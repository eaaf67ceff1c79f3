import { cutText } from './short-line.ts';

/**
 * A text of others as one line of a message of at most so many UTF-16 units: what is seen is what it is, and a phone makes nothing
 * of it. Signs that nobody sees, or that turn the direction, are left out; those by which chats mark text bold, italic, struck
 * or as code, and those by which they find links, give way to look-alikes.
 */
export function outsideText(text: string, most: number): string {
  const seen = text.replace(/\s+/g, ' ').replace(UNSEEN, '').replace(PILED_UP, '$1').replace(/ {2,}/g, ' ').trim();
  return cutText(
    seen
      .replace(MARKS, (mark) => LOOK_ALIKES[mark] ?? '')
      .replace(DOTS, '\u2024')
      .replace(/:\/\//g, ':\u2215\u2215'),
    most,
  );
}

/** The same of a name that stands in a sentence: one that is written from right to left does not turn what is around it. */
export function outsideName(name: string, most = NAME_LENGTH_MAX): string {
  const text = outsideText(name, most);
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** Without the signs by which {@link outsideName} sets a name apart: who prints lines needs none. */
export function withoutIsolates(text: string): string {
  return text.replace(/[\u2068\u2069]/g, '');
}

/** UTF-16 units. */
const NAME_LENGTH_MAX = 80;
/** All but the selectors of emoji. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Surrogate}\u2800]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;
/** More of them on one letter than any script has hide the lines around it. */
const PILED_UP = /(\p{M}{3})\p{M}+/gu;
/** An underscore within a word marks nothing, and names are full of them. */
const MARKS = /[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const LOOK_ALIKES: Readonly<Record<string, string>> = { '*': '\u2217', '~': '\u223c', '`': '\u02cb', _: '\uff3f' };
/** Between what could be a host and its domain. */
const DOTS = /(?<=[\p{L}\p{N}-])[.\u3002\uff0e\uff61](?=\p{L})/gu;
/** The blocks that Unicode keeps for scripts from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
