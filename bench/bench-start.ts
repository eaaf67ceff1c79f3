import { resolve } from 'node:path';
import { type Comparison, compare } from './compare.ts';
import { PROGRAM } from './run-program.ts';
import { timeProcess } from './time-process.ts';

/** What a person waits for before a command begins. */
export interface StartResults {
  /** `--version` by a Node that does nothing. */
  readonly version: Comparison;
  /** `--help`, which builds every command, by the same. */
  readonly help: Comparison;
}

const PROJECT = resolve('.');

/** Measures cold starts: each process is a new one, each round has both sides. */
export async function benchStart({ runs }: { readonly runs: number }): Promise<StartResults> {
  const nothing = () => timeProcess('-e', ['0'], PROJECT);
  const start = (option: string) =>
    compare(`start of ${option}`, runs, nothing, () => timeProcess(PROGRAM, [option], PROJECT));
  return { version: await start('--version'), help: await start('--help') };
}
