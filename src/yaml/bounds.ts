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
