import { besideState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { createRedact } from '../../http/redact.ts';
import { coverage } from '../../jobs/coverage.ts';
import { renderCoverage, renderCoverageJson } from '../../report/render-coverage.ts';
import { createClock } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { type RangeOptions, refuseReversed } from '../date-option.ts';
import { createLog, textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';

export interface CoverageCommandOptions extends CommonOptions, RangeOptions {
  readonly query?: readonly string[];
  readonly customer?: readonly CustomerId[];
  readonly format: 'table' | 'json';
}

/** The coverage command. Answers with the exit code. */
export async function runCoverage(options: CoverageCommandOptions, { folder, env, output }: Process): Promise<number> {
  refuseReversed(options);
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const deps = { clock: createClock(settings.startAtMs), log: createLog(output, createRedact(settings.secrets)) };
  const { query: queries = [], customer: customers = [], from, to } = options;
  const result = await besideState(settings, deps, (app) => coverage(app, { queries, customers, from, to }));
  const text =
    options.format === 'json' ? `${renderCoverageJson(result)}\n` : renderCoverage(result, textLayout(output));
  output.stdout.write(text);
  return EXIT.done;
}
