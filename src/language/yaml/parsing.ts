import { CST, Lexer, Parser } from 'yaml';

/** The library uses recursion, so some hundreds of levels would overflow the stack. */
const DEPTH_MAX = 100;
/** Limited, because the library searches all text before each alias. */
const ALIASES_MAX = 100;

export interface BeyondBounds {
  readonly offset: number;
  readonly message: string;
}

/** Finds text that would block the library for minutes or overflow the stack. */
export function beyondBounds(source: string): BeyondBounds | undefined {
  const parser = new Parser();
  let aliases = 0;
  for (const word of new Lexer().lex(source)) {
    const offset = parser.offset;
    if (CST.tokenType(word) === 'alias') aliases += 1;
    if (aliases > ALIASES_MAX) return { offset, message: `The file has more than ${ALIASES_MAX} aliases.` };
    // Runs the parser only for its stack, which shows the current depth.
    for (const _closed of parser.next(word));
    const tooDeep = parser.stack[DEPTH_MAX + 1];
    if (tooDeep) {
      const message = `Found more than ${DEPTH_MAX} nested lists and groups.`;
      return { offset: tooDeep.offset, message };
    }
  }
  return undefined;
}

/** `uniqueKeys` is off, because the library's check for repeated keys takes quadratic time. */
export const QUIETLY = { logLevel: 'silent', prettyErrors: false, uniqueKeys: false } as const;

/** Scalars stay text until a schema reads them. */
export const PARSING = { ...QUIETLY, schema: 'failsafe', logLevel: 'error' } as const;

/** In characters. */
export const SIZE_MAX = 1024 * 1024;

/** Decides which parts of a text with secrets may appear in messages. */
export interface Quoting {
  /** True if messages may name the last key of the path. */
  key(path: readonly (string | number)[]): boolean;
  /** True if messages may show this one-line text. */
  value(path: readonly (string | number)[], text: string): boolean;
  /** Next step for an unknown key. Names only known keys. */
  hint(path: readonly (string | number)[]): string | undefined;
  /** Next step for a wrong value. May name only the most similar valid value. */
  valueHint?(path: readonly (string | number)[], text: string): string | undefined;
}
