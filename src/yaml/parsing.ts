import { CST, Lexer, Parser } from 'yaml';

/** Far more than our files need. The library recurses at each level, so some hundreds of levels overflow the stack. */
const DEPTH_MAX = 100;
/** For each alias, the library searches the whole text before it. */
const ALIASES_MAX = 100;

export interface BeyondBounds {
  readonly offset: number;
  readonly message: string;
}

/**
 * Refuses text that would block the library for minutes or crash the process. A stack overflow in deep lists
 * cannot be caught. Stops at the first excess token, because even closing many levels fails.
 */
export function beyondBounds(source: string): BeyondBounds | undefined {
  const parser = new Parser();
  let aliases = 0;
  for (const word of new Lexer().lex(source)) {
    const offset = parser.offset;
    if (CST.tokenType(word) === 'alias') aliases += 1;
    if (aliases > ALIASES_MAX) return { offset, message: `The file has more than ${ALIASES_MAX} aliases.` };
    // The result, closed tokens, is not needed. The parser's stack shows the depth at this place.
    for (const _closed of parser.next(word));
    const tooDeep = parser.stack[DEPTH_MAX + 1];
    if (tooDeep) {
      const message = `Found more than ${DEPTH_MAX} nested lists and groups.`;
      return { offset: tooDeep.offset, message };
    }
  }
  return undefined;
}

/** Stops the library from writing to the terminal. Its check for repeated keys would take quadratic time. */
export const QUIETLY = { logLevel: 'silent', prettyErrors: false, uniqueKeys: false } as const;

/** For our own files. Scalars stay text. */
export const PARSING = { ...QUIETLY, schema: 'failsafe', logLevel: 'error' } as const;

/** Largest size of a YAML text, in characters. */
export const SIZE_MAX = 1024 * 1024;

/** Decides by path which parts of a text with secrets appear in messages and excerpts. */
export interface Quoting {
  /** True if messages can name the last key of the path. */
  key(path: readonly (string | number)[]): boolean;
  /** True if excerpts can show the brackets, commas and dashes of the value. */
  shape(path: readonly (string | number)[]): boolean;
  /** True if messages and excerpts can show this literal one-line scalar. */
  value(path: readonly (string | number)[], text: string): boolean;
  /** Next step for an unknown key. Names known keys only. */
  hint(path: readonly (string | number)[]): string | undefined;
  /** Next step for a wrong value. Shows at most the valid value that is most similar. */
  valueHint?(path: readonly (string | number)[], text: string): string | undefined;
  readonly words: ReadonlySet<string>;
}
