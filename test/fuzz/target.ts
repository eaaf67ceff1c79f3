import type { Random } from './inputs/random.ts';

/** What is fed with hostile input, and what has to hold of the outcome. */
export interface Target {
  readonly name: string;
  /** Words and signs that mean something to it: mutations put them in. */
  readonly tokens: readonly string[];
  /** Where it begins, beside its folder of the corpus. */
  seeds(): readonly string[];
  /** Writes an input by the rules of the language, right or nearly so. */
  readonly generate?: (random: Random) => string;
  /**
   * Tries one input. Throws {@link Finding} where something does not hold; anything else that it throws is a finding as
   * well, since the documented errors are caught here.
   */
  judge(input: Buffer): void | Promise<void>;
}

/** Something that does not hold. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

export function claim(holds: boolean, sentence: () => string): asserts holds {
  if (!holds) throw new Finding(sentence());
}

/** Compares two values by how they print; bigints and undefined have their own spelling. */
export function claimSame(found: unknown, expected: unknown, what: string): void {
  const one = printed(found);
  const other = printed(expected);
  claim(one === other, () => `${what}: found ${one.slice(0, 500)}, expected ${other.slice(0, 500)}`);
}

function printed(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    return part === undefined ? '(undefined)' : part;
  });
  return text ?? String(value);
}
