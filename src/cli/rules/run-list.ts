import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { frozenNow } from '../../jobs/frozen-now.ts';
import { describeRule } from '../../rules/describe-rule.ts';
import { createClock } from '../../system-time.ts';
import { RULES_LIST } from '../../views/rules-list.ts';
import { type ChoiceOptions, chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { EXIT } from '../print-error.ts';
import type { ListingFormat } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { listingIn } from '../show-listing.ts';

export interface ListCommandOptions extends CommonOptions, Pick<ChoiceOptions, 'param'> {
  readonly format: ListingFormat;
}

/** The rules list command. Answers with the exit code. */
export async function runList(options: ListCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const { rules } = await chooseInputs(settings, options, clock, output);
  const described = rules.map((rule) => describeRule(rule, settings.mode));
  const frozen = await frozenNow(settings, { clock, log: await openLog(output, settings, clock) });
  output.stdout.write(listingIn(options.format, RULES_LIST, { rules: described, frozen }, output));
  return EXIT.done;
}
