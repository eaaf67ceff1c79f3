import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { extract, refuseFixedWindows } from '../../jobs/extract.ts';
import type { ExtractionScope } from '../../jobs/plan-extraction.ts';
import { refuseBeyondRetention } from '../../jobs/refuse-beyond-retention.ts';
import { createClock } from '../../system-time.ts';
import { type ChoiceOptions, chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import { type RangeOptions, rangeOf } from '../date-option.ts';
import type { Process } from '../process.ts';
import { runJob } from '../run-job.ts';
import type { WaitOptions } from '../wait-option.ts';

export interface ExtractCommandOptions extends CommonOptions, ChoiceOptions, RangeOptions, WaitOptions {
  readonly resume?: boolean;
  readonly customer?: readonly CustomerId[];
  readonly format: 'table' | 'json';
}

/** The extract command. Answers with the exit code. */
export async function runExtract(options: ExtractCommandOptions, process: Process): Promise<number> {
  const { folder, env, output } = process;
  const range = rangeOf(options);
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  // The days that a replayed market has are known when it is read.
  const isReplayed = settings.target === 'sandbox' && settings.sandbox.market !== undefined;
  if (!isReplayed) refuseBeyondRetention(options.resume ? undefined : range, clock.now());
  const inputs = await chooseInputs(settings, options, clock, output);
  refuseFixedWindows(inputs.queries, options.query ?? [], range);
  const named = (options.query ?? []).length > 0;
  const job = { customers: options.customer ?? [], scope: scopeOf(options, range), named };
  const about = { command: 'pacekeeper extract', format: options.format, wait: options.wait };
  return runJob(settings, clock, process, about, (app) => extract(app, inputs, job));
}

function scopeOf({ resume }: ExtractCommandOptions, range: DateRange | undefined): ExtractionScope {
  if (resume) return { kind: 'resume', range };
  return range === undefined ? { kind: 'window' } : { kind: 'range', range };
}
