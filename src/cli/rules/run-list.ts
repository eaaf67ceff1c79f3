import { frozenNow } from '../../jobs/frozen-now.ts';
import { describeRule } from '../../rules/describe-rule.ts';
import { RULES_LIST } from '../../views/rules-list.ts';
import { chooseInputs } from '../choose-inputs.ts';
import type { CommandApp } from '../command.ts';
import { listingIn } from '../print-listing.ts';
import type { ListOptions } from './rules-command.ts';

export async function runList(app: CommandApp, options: ListOptions): Promise<void> {
  const { settings } = app;
  const { rules } = await chooseInputs(app, options);
  const described = rules.map((rule) => describeRule(rule, settings.automation.mode));
  const frozen = await frozenNow(settings, app);
  app.output.stdout.write(listingIn(options.format, RULES_LIST, { rules: described, frozen }, app.output));
}
