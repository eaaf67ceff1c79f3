import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { createRedact } from '../../http/redact.ts';
import { status } from '../../jobs/status.ts';
import { createClock } from '../../system-time.ts';
import { STATUS } from '../../views/status.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { EXIT } from '../print-error.ts';
import type { ListingFormat } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { listingIn } from '../show-listing.ts';

export interface StatusCommandOptions extends CommonOptions {
  readonly format: ListingFormat;
}

/** The status command. Answers with the exit code. */
export async function runStatus(options: StatusCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const redact = createRedact(settings.secrets);
  const clock = createClock(settings.startAtMs);
  const found = await status(settings, { clock, log: await openLog(output, settings, clock) });
  output.stdout.write(redact(listingIn(options.format, STATUS, found, output)));
  return EXIT.done;
}
