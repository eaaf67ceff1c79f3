import { type ProgramOptions, readProgramOptions } from '../../support/program-options.ts';

export interface SimulationOptions {
  readonly engine: 'sqlite' | 'postgres';
  readonly from: number;
  readonly seeds: number;
  /** One seed, told with all that happened. */
  readonly only: boolean;
  /** In a process for some of the seeds: which share of how many. */
  readonly share: readonly [number, number] | undefined;
}

export type SimulationReading =
  | { readonly kind: 'ok'; readonly options: SimulationOptions }
  | { readonly kind: 'help' }
  /** A sentence of what was found and expected. */
  | { readonly kind: 'wrong'; readonly message: string };

export const USAGE =
  'usage: npm run simulate:faults -- [--engine sqlite|postgres] [--seeds 100] [--from 1] | --seed SEED';

/** `share` is for the processes that the program begins itself. */
const TAKES = { engine: 'value', seeds: 'value', from: 'value', seed: 'value', help: 'nothing' } as const;

export function readOptions(args: readonly string[]): SimulationReading {
  try {
    const { share, others } = withoutShare(args);
    const given = readProgramOptions(others, TAKES);
    if (given.has('help')) return { kind: 'help' };
    const engine = engineFrom(given);
    if (!given.has('seed')) {
      const from = numberFrom(given, 'from', 1, 0);
      const seeds = numberFrom(given, 'seeds', 100, 1);
      return { kind: 'ok', options: { engine, from, seeds, only: false, share } };
    }
    // One seed is one seed: where to begin and how many are asked for otherwise.
    const beside = ['from', 'seeds'].find((name) => given.has(name));
    if (beside !== undefined) throw new Error(`found --${beside} beside --seed, expected one of them`);
    return { kind: 'ok', options: { engine, from: numberFrom(given, 'seed', 1, 0), seeds: 1, only: true, share } };
  } catch (error) {
    return { kind: 'wrong', message: `${error instanceof Error ? error.message : error}.` };
  }
}

/** `--share=PART/PARTS` comes last, from the program itself. */
function withoutShare(args: readonly string[]): Pick<SimulationOptions, 'share'> & { others: readonly string[] } {
  const [, part, parts] = /^--share=(\d+)\/(\d+)$/.exec(args.at(-1) ?? '') ?? [];
  if (part === undefined || parts === undefined) return { share: undefined, others: args };
  return { share: [Number(part), Number(parts)], others: args.slice(0, -1) };
}

function engineFrom(given: ProgramOptions): SimulationOptions['engine'] {
  const text = given.get('engine')?.at(-1) ?? 'sqlite';
  if (text === 'sqlite' || text === 'postgres') return text;
  throw new Error(`found "${text}" for --engine, expected sqlite or postgres`);
}

function numberFrom(given: ProgramOptions, name: keyof typeof TAKES, otherwise: number, least: number): number {
  const text = given.get(name)?.at(-1);
  if (text === undefined) return otherwise;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`found "${text}" for --${name}, expected a whole number from ${least} to 999999999`);
}
