import { type App, withApp } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';
import type { Inputs } from '../../jobs/load-inputs.ts';
import type { Rule } from '../../rules/rule.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import type { Listing } from '../../views/listing.ts';
import { type ChoiceOptions, chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { EXIT } from '../print-error.ts';
import type { ListingFormat } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { listingIn } from '../show-listing.ts';
import { tellBusy } from '../tell-busy.ts';

/** What every command takes that tries rules. */
export interface RulesCommandOptions extends CommonOptions, Pick<ChoiceOptions, 'param' | 'rule'> {
  readonly customer?: readonly CustomerId[];
  readonly format: ListingFormat;
}

/** Runs a job on the checked rules and the data folder, and prints what came of it. Answers with the exit code. */
export async function runOnRules<Result extends { readonly failures: readonly string[] }>(
  options: RulesCommandOptions,
  { folder, env, output }: Process,
  command: string,
  listing: Listing<Result>,
  job: (app: App, inputs: Inputs) => Promise<Result>,
): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const inputs = await chooseInputs(settings, options, clock, output);
  const log = await openLog(output, settings, clock);
  const outcome = await withApp(settings, { clock, pauses: systemPauses, log, looksOnly: true }, command, (app) =>
    job(app, inputs),
  );
  if (outcome.kind === 'busy') return tellBusy(output, settings, outcome.holder);
  const { value } = outcome;
  output.stdout.write(listingIn(options.format, listing, value, output));
  return value.failures.length === 0 ? EXIT.done : EXIT.failed;
}

/** The rule of that name. Throws `InputError` with the nearest name where there is none. */
export function ruleNamed(name: string, rules: readonly Rule[], command = 'pacekeeper rules explain'): Rule {
  const rule = rules.find((one) => one.name === name);
  if (rule) return rule;
  const names = rules.map((one) => one.name);
  throw new InputError(`There is no rule ${name}; there are ${names.join(', ') || 'none'}.`, {
    nextStep: didYouMean(name, names) ?? `Name a rule file without its ending: ${command} trim-expensive-clicks.`,
  });
}
