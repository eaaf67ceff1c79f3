import { parseArgs } from 'node:util';

/** What stands on the command line of a program of the tests: each option's values, and none for one that takes none. */
export type ProgramOptions = ReadonlyMap<string, readonly string[]>;

/**
 * Each name with whether it takes a value. Throws an Error with one sentence for what is not known; a value may begin with a
 * dash, so that what reads it can say what it expected.
 */
export function readProgramOptions(
  args: readonly string[],
  takes: Readonly<Record<string, 'value' | 'nothing'>>,
): ProgramOptions {
  const known = new Map(Object.entries(takes));
  const options = Object.fromEntries(
    Object.entries(takes).map(([name, what]) => [name, { type: what === 'value' ? 'string' : 'boolean' } as const]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const found = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    const word = token.kind === 'option' ? token.rawName : token.value;
    const what = token.kind === 'option' ? known.get(token.name) : undefined;
    if (token.kind !== 'option' || what === undefined) {
      throw new Error(`found ${word}, expected one of ${[...known.keys()].map((name) => `--${name}`).join(', ')}`);
    }
    const { name, value } = token;
    if (what === 'value' && value === undefined) throw new Error(`found nothing after ${word}, expected a value`);
    if (what === 'nothing' && value !== undefined)
      throw new Error(`found "${value}" for ${word}, which takes no value`);
    found.set(name, [...(found.get(name) ?? []), ...(value === undefined ? [] : [value])]);
  }
  return found;
}
