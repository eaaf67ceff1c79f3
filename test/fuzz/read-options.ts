import { type ProgramOptions, readProgramOptions } from '../support/program-options.ts';

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

export type FuzzReading =
  | { readonly kind: 'ok'; readonly options: FuzzOptions }
  | { readonly kind: 'help' }
  /** A sentence of what was found and expected. */
  | { readonly kind: 'wrong'; readonly message: string };

export const USAGE =
  'usage: npm run fuzz -- [--minutes 1] [--target NAME]... [--seed 1] [--inputs N] [--keep N] | --prove; --minutes are shared by the targets, two at once';

const TAKES = {
  minutes: 'value',
  target: 'value',
  seed: 'value',
  inputs: 'value',
  keep: 'value',
  prove: 'nothing',
  help: 'nothing',
} as const;

export function readOptions(args: readonly string[], known: readonly string[]): FuzzReading {
  try {
    const given = readProgramOptions(args, TAKES);
    if (given.has('help')) return { kind: 'help' };
    const targets = given.get('target');
    const unknown = targets?.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Error(`there is no target ${unknown}, expected ${known.join(', ')}`);
    const options: FuzzOptions = {
      minutes: numberFrom(given, 'minutes', 1, 0.01),
      targets: targets ?? known,
      seed: numberFrom(given, 'seed', 1, 0),
      inputsMax: numberFrom(given, 'inputs', Number.POSITIVE_INFINITY, 1),
      keep: numberFrom(given, 'keep', 0, 0),
      prove: given.has('prove'),
    };
    return { kind: 'ok', options };
  } catch (error) {
    return { kind: 'wrong', message: `${error instanceof Error ? error.message : error}.` };
  }
}

function numberFrom(given: ProgramOptions, name: keyof typeof TAKES, otherwise: number, least: number): number {
  const text = given.get(name)?.at(-1);
  if (text === undefined) return otherwise;
  const number = /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && (name === 'minutes' || Number.isInteger(number))) return number;
  const kind = name === 'minutes' ? 'a number' : 'a whole number';
  throw new Error(`found "${text}" for --${name}, expected ${kind} from ${least} to 999999999`);
}
