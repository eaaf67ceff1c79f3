const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The text in at most so many UTF-16 units, with an ellipsis where it was cut: between words, and in a word that alone is most
 * of the text between characters. What people see as one character stays whole.
 */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  let length = 0;
  // A character may go on behind the limit: as much again is looked at as any has.
  for (const { segment } of characters.segment(text.slice(0, lengthMax + 64))) {
    if (length + segment.length > lengthMax - 1) break;
    length += segment.length;
  }
  const cut = text.slice(0, length);
  const words = /\s/.test(text.charAt(length)) ? cut : cut.replace(/\s+\S*$/, '');
  const kept = words.length * 2 > length ? words : cut;
  return `${kept.replace(/[\s,;:]+$/, '')}…`;
}

/** A text of others as one line of at most so many UTF-16 units. Cut like {@link cutText}. */
export function shortLine(text: string, most: number): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), most);
}

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

/** The first line of a text of several: what an alert or an error is about. The lines below it are details of the same. */
export function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Escapes what JSON leaves as it is and a terminal obeys: control characters and turns of direction. */
export function inertJson(json: string): string {
  return json.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const OBEYED = /[\u007f-\u009f]|\p{Bidi_Control}/gu;

/** With these a spreadsheet's formula begins; the last four are their full-width forms, which some programs turn into them. */
const FORMULA = '[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]';
/** Where a cell may begin within a text: a program parts cells by semicolons or tabs, as those of many countries do, and lines. */
const PARTS = ';\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029';
/**
 * Quotes and blanks before a formula do not stop it, nor do signs that nobody sees and some programs drop: of no width, of
 * direction, of byte order, fillers, controls. No sign is of both kinds, so that a text is gone through once.
 */
const UNSEEN_IN_CELL = `[["\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\u2800]--[${PARTS}]]`;
const CELL_BEGINS = new RegExp(`(^|[${PARTS}])(${UNSEEN_IN_CELL}*)(?=${FORMULA})`, 'gv');

/** A text of others as a CSV cell that no spreadsheet runs: an apostrophe stands before whatever would be a formula. */
export function spreadsheetText(text: string): string {
  const inert = text.replace(CELL_BEGINS, "$1$2'");
  return /^[\t\r]/.test(inert) ? `'${inert}` : inert;
}
