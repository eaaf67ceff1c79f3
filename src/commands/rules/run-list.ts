import { engineOf } from '../../engine/folder/engine.ts';
import { describeRule } from '../../language/rules/file/describe-rule.ts';
import { describeTarget } from '../../language/targets/target.ts';
import { chooseInputs } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { listingIn } from '../cli/print-listing.ts';
import { frozenNow } from '../status/run-status.ts';
import { RULES_LIST } from './list-view.ts';
import type { ListOptions } from './rules-command.ts';

export async function runList(app: CommandApp, options: ListOptions): Promise<void> {
  const { settings } = app;
  const { rules, targets } = await chooseInputs(app, options);
  const { mode } = settings.automation;
  const described = [
    ...targets.map((target) => describeTarget(target, mode)),
    ...rules.map((rule) => describeRule(rule, mode)),
  ];
  const frozen = await frozenNow(await engineOf(settings), settings, app);
  app.output.stdout.write(listingIn(options.format, RULES_LIST, { rules: described, frozen }, app.output));
}
