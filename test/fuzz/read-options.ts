import { parseArgs } from 'node:util';

export interface FuzzOptions {
  readonly minutes: number;
  readonly targets: readonly string[];
  readonly seed: number;
  /** Of each target; without it the time alone decides. */
  readonly inputsMax: number;
  /** How many of the inputs that reached something new go into the corpus, of each target. */
  readonly keep: number;
  /** Fuzz programs that are wrong on purpose, and fail unless each is found out. */
  readonly prove: boolean;
}

const USAGE =
  'Usage: npm run fuzz -- [--minutes 1] [--target NAME]... [--seed 1] [--inputs N] [--keep N] | --prove; --minutes are shared by the targets, two at once';

/** Throws an Error with the usage for options that are none. */
export function readOptions(args: readonly string[], known: readonly string[]): FuzzOptions {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...{ minutes: text, seed: text, inputs: text, keep: text, prove: { type: 'boolean' } },
        target: { ...text, multiple: true },
      },
    });
    const unknown = values.target?.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Error(`there is no target ${unknown}, expected ${known.join(', ')}`);
    return {
      minutes: numberFrom('minutes', values.minutes ?? '1', 0.01),
      targets: values.target ?? known,
      seed: numberFrom('seed', values.seed ?? '1', 0),
      inputsMax: values.inputs === undefined ? Number.POSITIVE_INFINITY : numberFrom('inputs', values.inputs, 1),
      keep: numberFrom('keep', values.keep ?? '0', 0),
      prove: values.prove ?? false,
    };
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}. ${USAGE}`, { cause });
  }
}

function numberFrom(name: string, text: string, least: number): number {
  const number = /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && (name === 'minutes' || Number.isInteger(number))) return number;
  throw new Error(`found "${text}" for --${name}, expected a number of at least ${least}`);
}
