import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { createRedact } from '../../http/redact.ts';
import { status } from '../../jobs/status.ts';
import { renderStatus, renderStatusJson, runRows } from '../../report/render-status.ts';
import { createClock } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { EXIT } from '../print-error.ts';
import { type ListingFormat, listingText } from '../print-listing.ts';
import type { Process } from '../process.ts';

export interface StatusCommandOptions extends CommonOptions {
  readonly format: ListingFormat;
}

/** The status command. Answers with the exit code. */
export async function runStatus(options: StatusCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const redact = createRedact(settings.secrets);
  const clock = createClock(settings.startAtMs);
  const found = await status(settings, { clock, log: await openLog(output, settings, clock) });
  const text = listingText(output, options.format, 'status', {
    table: (layout) => renderStatus(found, layout),
    json: () => renderStatusJson(found),
    rows: () => runRows(found.work),
  });
  output.stdout.write(redact(text));
  return EXIT.done;
}
