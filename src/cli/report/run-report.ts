import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { report } from '../../jobs/report.ts';
import { createClock } from '../../system-time.ts';
import { type ChoiceOptions, chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import type { Process } from '../process.ts';
import { runJob } from '../run-job.ts';

export interface ReportCommandOptions extends CommonOptions, ChoiceOptions {
  readonly customer?: readonly CustomerId[];
  readonly dryRun?: boolean;
  readonly extract: boolean;
  readonly format: 'table' | 'json';
}

/** The report command. Answers with the exit code. */
export async function runReport(options: ReportCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const inputs = await chooseInputs(settings, options, clock, output);
  const job = { customers: options.customer ?? [], dryRun: options.dryRun ?? false, noExtract: !options.extract };
  const about = { command: 'pacekeeper report', format: options.format };
  return runJob(settings, clock, output, about, (app) => report(app, inputs, job));
}
