/** Cuts to `lengthMax` UTF-16 units, between words if possible, and never inside a grapheme. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  let length = 0;
  // Read a little more, because a grapheme can extend past the limit.
  for (const grapheme of graphemesOf(text.slice(0, lengthMax + 64))) {
    if (length + grapheme.length > lengthMax - 1) break;
    length += grapheme.length;
  }
  const cut = text.slice(0, length);
  const words = /\s/.test(text.charAt(length)) ? cut : cut.replace(/\s+\S*$/, '');
  const kept = words.length * 2 > length ? words : cut;
  return `${kept.replace(/[\s,;:]+$/, '')}…`;
}

export function shortLine(text: string, most: number): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), most);
}

/** Makes external text safe for chats: one line, without invisible characters, formatting or links. */
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

/** Isolates right-to-left names, so that the words around a name keep their order. */
export function outsideName(name: string, most = NAME_LENGTH_MAX): string {
  const text = outsideText(name, most);
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

export function withoutIsolates(text: string): string {
  return text.replace(/[\u2068\u2069]/g, '');
}

const NAME_LENGTH_MAX = 80;
/** Invisible characters, except the variation selectors of emoji. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Surrogate}\u2800]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;
/** The fourth and later combining marks of a letter, because many marks could hide other lines. */
const PILED_UP = /(\p{M}{3})\p{M}+/gu;
/** Signs that format text in chats. Omits underscores inside a word, which format nothing. */
const MARKS = /[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const LOOK_ALIKES: Readonly<Record<string, string>> = { '*': '\u2217', '~': '\u223c', '`': '\u02cb', _: '\uff3f' };
/** Dots between letters, because a chat could turn the text into a link. */
const DOTS = /(?<=[\p{L}\p{N}-])[.\u3002\uff0e\uff61](?=\p{L})/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Escapes control characters and direction signs, because terminals act on them. */
export function inertJson(json: string): string {
  return json.replace(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const OBEYED = /[\u007f-\u009f]|\p{Bidi_Control}/gu;

/** Signs that begin a formula. The last four are full-width forms, which some programs convert. */
const FORMULA = '[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]';
/** A spreadsheet can start a new cell after these signs. */
const PARTS = ';\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029';
/** Spreadsheets skip these signs before a formula. Omits the signs of PARTS, so that the search stays fast. */
const UNSEEN_IN_CELL = `[["\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\u2800]--[${PARTS}]]`;
const CELL_BEGINS = new RegExp(`(^|[${PARTS}])(${UNSEEN_IN_CELL}*)(?=${FORMULA})`, 'gv');

/** Puts an apostrophe before possible formulas, so that no spreadsheet runs external text. */
export function spreadsheetText(text: string): string {
  const inert = text.replace(CELL_BEGINS, "$1$2'");
  return /^[\t\r]/.test(inert) ? `'${inert}` : inert;
}

let segmenter: Intl.Segmenter | undefined;

/** Characters as readers see them. A letter stays together with its accents. */
export function graphemesOf(text: string): string[] {
  // Made at the first call, because it takes 25 ms, a third of a short command.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Longest reason that a person may give for an act, in UTF-16 units. */
export const REASON_LENGTH_MAX = 500;

/** One line for the record: line breaks, tabs and control characters become single spaces. */
export function recordLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A direction override in a name could reverse a whole sentence. */
export function escapeHtml(text: string): string {
  return withoutIsolates(text)
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? character)
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '·');
}
