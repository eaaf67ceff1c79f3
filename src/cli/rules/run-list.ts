import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { renderRuleList, renderRuleListJson } from '../../report/render-rule-list.ts';
import { describeRule } from '../../rules/describe-rule.ts';
import { createClock } from '../../system-time.ts';
import { type ChoiceOptions, chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import { textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';

export interface ListCommandOptions extends CommonOptions, Pick<ChoiceOptions, 'param'> {
  readonly format: 'table' | 'json';
}

/** The rules list command. Answers with the exit code. */
export async function runList(options: ListCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const { rules } = await chooseInputs(settings, options, createClock(settings.startAtMs), output);
  const described = rules.map((rule) => describeRule(rule, settings.mode));
  const text =
    options.format === 'json' ? `${renderRuleListJson(described)}\n` : renderRuleList(described, textLayout(output));
  output.stdout.write(text);
  return EXIT.done;
}
