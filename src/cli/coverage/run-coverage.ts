import { besideState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { coverage } from '../../jobs/coverage.ts';
import { renderCoverage } from '../../report/render-coverage.ts';
import { createClock } from '../../system-time.ts';
import { COVERAGE } from '../../views/coverage.ts';
import type { CommonOptions } from '../common-options.ts';
import { type RangeOptions, refuseReversed } from '../date-option.ts';
import { openLog } from '../open-log.ts';
import { textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { ListingFormat } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { listingIn } from '../show-listing.ts';

export interface CoverageCommandOptions extends CommonOptions, RangeOptions {
  readonly query?: readonly string[];
  readonly customer?: readonly CustomerId[];
  readonly format: ListingFormat;
}

/** The coverage command. Answers with the exit code. */
export async function runCoverage(options: CoverageCommandOptions, { folder, env, output }: Process): Promise<number> {
  refuseReversed(options);
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const deps = {
    clock: createClock(settings.startAtMs),
    log: await openLog(output, settings, createClock(settings.startAtMs)),
  };
  const { query: queries = [], customer: customers = [], from, to } = options;
  const result = await besideState(settings, { ...deps, looksOnly: true }, (app) =>
    coverage(app, { queries, customers, from, to }),
  );
  const { format } = options;
  output.stdout.write(
    format === 'table' ? renderCoverage(result, textLayout(output)) : listingIn(format, COVERAGE, result, output),
  );
  return EXIT.done;
}
