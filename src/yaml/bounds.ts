import { type CST, Parser } from 'yaml';

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
 * thousand end in a failure that no program can catch. Looks at the text without building anything from it; undefined for a text
 * that may be parsed.
 */
export function beyondBounds(source: string): BeyondBounds | undefined {
  let aliases = 0;
  const open: { readonly token: CST.Token; readonly depth: number }[] = [];
  for (const token of new Parser().parse(source)) open.push({ token, depth: 0 });
  open.reverse();
  // By hand and not by calls: this is about texts that nest deeper than calls can. What stands first is looked at first.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (token.type === 'alias') aliases += 1;
    if (aliases > ALIASES_MAX) {
      return { offset: token.offset, message: `The file has more than ${ALIASES_MAX} aliases.` };
    }
    if (depth > DEPTH_MAX) {
      const message = `There are more than ${DEPTH_MAX} lists and groups inside each other here.`;
      return { offset: token.offset, message };
    }
    for (const inside of tokensIn(token).reverse()) open.push({ token: inside, depth: depth + 1 });
  }
  return undefined;
}

function tokensIn(token: CST.Token): CST.Token[] {
  if ('items' in token) {
    return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== undefined && part !== null));
  }
  return token.type === 'document' && token.value !== undefined ? [token.value] : [];
}
