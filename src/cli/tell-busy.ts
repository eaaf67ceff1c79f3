import type { Settings } from '../config/settings.ts';
import { createClock } from '../system-time.ts';
import type { Output } from './output.ts';
import { EXIT } from './print-error.ts';
import { tellError } from './tell-error.ts';

/** Says who works on the data folder already, and answers with the exit code. */
export function tellBusy(output: Output, { paths, log, startAtMs }: Settings, holder: string): number {
  tellError(
    output,
    { logFormat: log.format, nowMs: createClock(startAtMs).now() },
    {
      message: `${paths.data} is in use by ${holder}.`,
      nextStep: 'Wait until it ends, or give this run a folder of its own with --data-dir.',
    },
  );
  return EXIT.failed;
}
