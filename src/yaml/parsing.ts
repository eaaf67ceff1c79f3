import { CST, Lexer, Parser } from 'yaml';

/** Far more than any file of ours nests; the library follows each level with a call of its own, and the stack ends at some hundreds. */
const DEPTH_MAX = 100;
/** To follow one alias the library walks through the whole text before it. */
const ALIASES_MAX = 100;

/** Where a text asks for more than is read, and a sentence that says of what. */
export interface BeyondBounds {
  readonly offset: number;
  readonly message: string;
}

/**
 * What of a text would keep the library at work for minutes, or take the whole process down with it: lists within lists by the
 * thousand end in a failure that no program can catch. Goes through the text word by word and stops at the first that is too much,
 * because closing many levels at once is what already fails; undefined for a text that may be parsed.
 */
export function beyondBounds(source: string): BeyondBounds | undefined {
  const parser = new Parser();
  let aliases = 0;
  for (const word of new Lexer().lex(source)) {
    const offset = parser.offset;
    if (CST.tokenType(word) === 'alias') aliases += 1;
    if (aliases > ALIASES_MAX) return { offset, message: `The file has more than ${ALIASES_MAX} aliases.` };
    // What it hands out is what it has closed; what it still holds open is how deep this place is, below the document.
    for (const _closed of parser.next(word));
    const tooDeep = parser.stack[DEPTH_MAX + 1];
    if (tooDeep) {
      const message = `There are more than ${DEPTH_MAX} lists and groups inside each other here.`;
      return { offset: tooDeep.offset, message };
    }
  }
  return undefined;
}

/** How every text is parsed, whatever it means: the library writes nothing to the terminal, and compares no key with all before it. */
export const QUIETLY = { logLevel: 'silent', prettyErrors: false, uniqueKeys: false } as const;

/** How the files of ours are parsed: scalars stay text. */
export const PARSING = { ...QUIETLY, schema: 'failsafe', logLevel: 'error' } as const;

/** The longest text that is read, characters. */
export const SIZE_MAX = 1024 * 1024;

/** What may be repeated of a text with secrets, by place: the rest is neither named in a message nor shown in a line. */
export interface Quoting {
  /** Whether the key that the path ends in may be named. */
  key(path: readonly (string | number)[]): boolean;
  /** Whether it may be seen what the value at the path is made of: its brackets, commas and dashes. */
  shape(path: readonly (string | number)[]): boolean;
  /** Whether the scalar may be repeated that is written at the path, on one line and without anything to interpret. */
  value(path: readonly (string | number)[], text: string): boolean;
  /** What to do about a key that is not known; names no key that is not. */
  hint(path: readonly (string | number)[]): string | undefined;
  /** What to do about a value that is none; shows no more of it than what it is nearly the same as. */
  valueHint?(path: readonly (string | number)[], text: string): string | undefined;
  /** The keys that may be shown where the text is damaged, and places in it mean little. */
  readonly words: ReadonlySet<string>;
}
