import { explainRule } from '../../jobs/explain-rule.ts';
import { tryRules } from '../../jobs/try-rules.ts';
import { evaluationRows, renderEvaluation, renderEvaluationJson } from '../../report/render-evaluation.ts';
import { renderExplanation, renderExplanationJson } from '../../report/render-explanation.ts';
import { chooseInputs } from '../choose-inputs.ts';
import type { CommandApp } from '../command.ts';
import { textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import { printListing } from '../print-listing.ts';
import { ruleNamed } from '../rule-named.ts';
import type { EvaluateOptions, ExplainOptions } from './rules-command.ts';

export async function runEvaluate(app: CommandApp<'all'>, options: EvaluateOptions): Promise<number> {
  const { customer = [], format } = options;
  const inputs = await chooseInputs(app, options);
  const result = await app.open((opened) => tryRules(opened, inputs, customer));
  printListing(app.output, format, 'rules evaluate', {
    table: (layout) => renderEvaluation(result, layout),
    json: () => renderEvaluationJson(result),
    rows: () => evaluationRows(result),
  });
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
  const text =
    format === 'json' ? `${renderExplanationJson(result)}\n` : renderExplanation(result, textLayout(app.output));
  app.output.stdout.write(text);
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}
