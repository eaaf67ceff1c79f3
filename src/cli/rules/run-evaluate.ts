import { explainRule } from '../../jobs/explain-rule.ts';
import { tryRules } from '../../jobs/try-rules.ts';
import { RULES_EVALUATE } from '../../views/rules-evaluate.ts';
import { RULES_EXPLAIN } from '../../views/rules-explain.ts';
import { chooseInputs } from '../choose-inputs.ts';
import type { CommandApp } from '../command.ts';
import { EXIT } from '../print-error.ts';
import { listingIn } from '../print-listing.ts';
import { ruleNamed } from '../rule-named.ts';
import type { EvaluateOptions, ExplainOptions } from './rules-command.ts';

export async function runEvaluate(app: CommandApp<'all'>, options: EvaluateOptions): Promise<number> {
  const { customer = [], format } = options;
  const inputs = await chooseInputs(app, options);
  const result = await app.open((opened) => tryRules(opened, inputs, customer));
  app.output.stdout.write(listingIn(format, RULES_EVALUATE, result, app.output));
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}

export async function runExplain(app: CommandApp<'all'>, options: ExplainOptions): Promise<number> {
  const { rule, customer: customers = [], campaign, format } = options;
  const inputs = await chooseInputs(app, options);
  const result = await app.open(async (opened) =>
    explainRule(opened, ruleNamed(rule, inputs.rules, 'pacekeeper rules explain trim-expensive-clicks'), inputs, {
      customers,
      campaign,
    }),
  );
  app.output.stdout.write(listingIn(format, RULES_EXPLAIN, result, app.output));
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}
