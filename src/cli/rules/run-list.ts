import { frozenNow } from '../../jobs/frozen-now.ts';
import { renderRuleList, renderRuleListJson, ruleObject } from '../../report/render-rule-list.ts';
import { describeRule } from '../../rules/describe-rule.ts';
import { chooseInputs } from '../choose-inputs.ts';
import type { CommandApp } from '../command.ts';
import { printListing } from '../print-listing.ts';
import type { ListOptions } from './rules-command.ts';

export async function runList(app: CommandApp, options: ListOptions): Promise<void> {
  const { settings } = app;
  const { rules } = await chooseInputs(app, options);
  const described = rules.map((rule) => describeRule(rule, settings.mode));
  const frozen = await frozenNow(settings, app);
  printListing(app.output, options.format, 'rules list', {
    table: (layout) => renderRuleList(described, frozen, layout),
    json: () => renderRuleListJson(described),
    rows: () => described.map(ruleObject),
  });
}
