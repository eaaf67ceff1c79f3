import type { CampaignId } from '../../domain/ids.ts';
import { explainRule } from '../../jobs/explain-rule.ts';
import { tryRules } from '../../jobs/try-rules.ts';
import { RULES_EVALUATE } from '../../views/rules-evaluate.ts';
import { RULES_EXPLAIN } from '../../views/rules-explain.ts';
import type { Process } from '../process.ts';
import { type RulesCommandOptions, ruleNamed, runOnRules } from './run-on-rules.ts';

export interface EvaluateCommandOptions extends RulesCommandOptions {
  readonly campaign?: CampaignId;
}

/** The rules evaluate command. Answers with the exit code. */
export function runEvaluate(options: EvaluateCommandOptions, process: Process): Promise<number> {
  return runOnRules(options, process, 'pacekeeper rules evaluate', RULES_EVALUATE, (app, inputs) =>
    tryRules(app, inputs, options.customer ?? []),
  );
}

/** The rules explain command. Answers with the exit code. */
export function runExplain(name: string, options: EvaluateCommandOptions, process: Process): Promise<number> {
  return runOnRules({ ...options, rule: name }, process, 'pacekeeper rules explain', RULES_EXPLAIN, (app, inputs) => {
    const only = { customers: options.customer ?? [], campaign: options.campaign };
    return explainRule(app, ruleNamed(name, inputs.rules), inputs, only);
  });
}
