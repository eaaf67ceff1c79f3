const QUERY_IN_QUERY = 'Queries cannot be nested: write two query files, and join their tables in SQL.';
export const GAARF = 'For gaarf queries, run pacekeeper import DIR.';

const WORD_HINTS: Readonly<Record<string, string>> = {
  GROUP: 'There is no GROUP BY: the service sums metrics by the selected attributes and segments.',
  HAVING: 'There is no HAVING: write conditions on metrics in WHERE.',
  JOIN: 'JOIN is not supported: select fields of related resources directly. Run pacekeeper fields RESOURCE to list them.',
  OFFSET: 'There is no OFFSET: all rows are read.',
  UNION: 'There is no UNION, EXCEPT or INTERSECT: write two query files, and combine their tables in SQL.',
  DISTINCT: 'There is no DISTINCT: remove it, and use SELECT DISTINCT in SQL on the table.',
  ALL: 'Remove ALL: every row is selected anyway.',
  TOP: 'There is no TOP: use LIMIT at the end.',
  FETCH: 'There is no FETCH: use LIMIT at the end.',
  CASE: 'There is no CASE: select the field and use CASE in SQL on the table.',
  EXISTS: QUERY_IN_QUERY,
  SELECT: QUERY_IN_QUERY,
  WITH: QUERY_IN_QUERY,
  NULL: 'Test for missing values with IS NULL or IS NOT NULL.',
  NOT: 'Use NOT only within NOT IN, NOT LIKE, NOT REGEXP_MATCH and IS NOT NULL.',
  AS: 'Use AS only in SELECT, to name a column.',
  DURING: 'Write a date before DURING, in WHERE: segments.date DURING LAST_7_DAYS.',
  '(': 'Use parentheses only for the lists of IN and CONTAINS.',
};

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['INNER', 'JOIN'],
  ['LEFT', 'JOIN'],
  ['RIGHT', 'JOIN'],
  ['FULL', 'JOIN'],
  ['OUTER', 'JOIN'],
  ['CROSS', 'JOIN'],
  ['ON', 'JOIN'],
  ['EXCEPT', 'UNION'],
  ['INTERSECT', 'UNION'],
]);

export function wordHint(word: string): string | undefined {
  if (/^-\d/.test(word)) return NO_ARITHMETIC;
  const name = ALIASES.get(word.toUpperCase()) ?? word.toUpperCase();
  return Object.hasOwn(WORD_HINTS, name) ? WORD_HINTS[name] : undefined;
}

export const NO_ARITHMETIC = `There is no arithmetic: select both fields and calculate in SQL on the table. ${GAARF}`;
export const NO_PARTS = `A query takes whole fields: take the part in SQL on the table. ${GAARF}`;
const SYMBOL_HINTS: Readonly<Record<string, string>> = {
  '/': NO_ARITHMETIC,
  '+': NO_ARITHMETIC,
  '-': NO_ARITHMETIC,
  '%': NO_ARITHMETIC,
  '~': NO_PARTS,
  '!': 'Write != for "not equal".',
  '`': 'Write names without quotes.',
  ':': 'Write a parameter as a colon and a name, without a space: :from.',
};

export function symbolHint(symbol: string, before: string): string {
  if (/^[+-]$/.test(symbol) && /:\w+\s*$/.test(before)) return 'Add days without a space: :today-7.';
  return SYMBOL_HINTS[symbol] ?? 'Put text in quotes, and comments after --.';
}

/** Letters of other scripts that look like the letter at the same position in `LATIN`. */
const FOREIGN = 'АВЕКМНОРСТХУІЅаеорсхуіѕјΑΒΕΖΗΙΚΜΝΟΡΤΧο–—−';
const LATIN = 'ABEKMHOPCTXYISaeopcxyisjABEZHIKMNOPTXo---';
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map([
  ...Array.from(FOREIGN, (letter, place) => [letter, LATIN.charAt(place)] as const),
  ['≥', '>='],
  ['≤', '<='],
  ['≠', '!='],
]);

const QUOTES = /[‘’‚‛“”„‟«»‹›′″]/;
const INVISIBLE = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f]/g;

export function explainForeignLetters(word: string): { readonly message: string; readonly hint: string } {
  const letter = String.fromCodePoint(word.codePointAt(word.search(/[^\p{ASCII}]/u)) ?? 0);
  const code = `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const shown = JSON.stringify(word.length > 60 ? `${word.slice(0, 60)}…` : word);
  if (QUOTES.test(letter)) {
    return {
      message: `Found the typographic quote ${letter} (${code}).`,
      hint: "Put text in straight quotes: 'text'.",
    };
  }
  const meant = withoutForeignLetters(word);
  if (letter.replace(INVISIBLE, '') === '') {
    return {
      message: `Found an invisible character (${code})${meant ? ` in ${JSON.stringify(meant)}` : ''}.`,
      hint: meant ? 'Delete the word and type it again.' : 'Delete it.',
    };
  }
  if (meant !== undefined && /[\p{L}\p{N}]/u.test(letter)) {
    return {
      message: `Found ${shown}: its letter ${letter} (${code}) only looks Latin.`,
      hint: `Type it again: ${meant}.`,
    };
  }
  return {
    message: `Found ${shown}: the character ${letter} (${code}) is valid in quotes only.`,
    hint: meant === undefined ? 'Put text in quotes, and comments after --.' : `Type it again: ${meant}.`,
  };
}

/** Returns undefined if a letter does not resemble a Latin letter. */
export function withoutForeignLetters(word: string): string | undefined {
  const visible = word.replace(INVISIBLE, '').normalize('NFKC');
  const latin = [...visible].map((letter) => LOOKS_LIKE.get(letter) ?? letter).join('');
  return /^\p{ASCII}*$/u.test(latin) ? latin : undefined;
}
