import type { Output } from './output.ts';
import { EXIT } from './print-error.ts';

/** Says who works on the data folder already, and answers with the exit code. */
export function tellBusy({ stderr }: Output, dataFolder: string, holder: string): number {
  stderr.write(`error: ${dataFolder} is in use by ${holder}.\n`);
  stderr.write('next step: Wait until it ends, or give this run a folder of its own with --data-dir.\n');
  return EXIT.failed;
}
