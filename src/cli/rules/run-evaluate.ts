import type { CampaignId } from '../../domain/ids.ts';
import { explainRule } from '../../jobs/explain-rule.ts';
import { tryRules } from '../../jobs/try-rules.ts';
import { evaluationRows, renderEvaluation, renderEvaluationJson } from '../../report/render-evaluation.ts';
import { renderExplanation, renderExplanationJson } from '../../report/render-explanation.ts';
import type { EvaluationResult, ExplanationResult } from '../../report/rules-result.ts';
import { textLayout } from '../output.ts';
import { listingText } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { type RulesCommandOptions, ruleNamed, runOnRules, type Shown } from './run-on-rules.ts';

export interface EvaluateCommandOptions extends RulesCommandOptions {
  readonly campaign?: CampaignId;
}

/** The rules evaluate command. Answers with the exit code. */
export function runEvaluate(options: EvaluateCommandOptions, process: Process): Promise<number> {
  const shown: Shown<EvaluationResult> = (result, format, output) =>
    listingText(output, format, 'rules evaluate', {
      table: (layout) => renderEvaluation(result, layout),
      json: () => renderEvaluationJson(result),
      rows: () => evaluationRows(result),
    });
  return runOnRules(options, process, 'pacekeeper rules evaluate', shown, (app, inputs) =>
    tryRules(app, inputs, options.customer ?? []),
  );
}

/** The rules explain command. Answers with the exit code. */
export function runExplain(name: string, options: EvaluateCommandOptions, process: Process): Promise<number> {
  const shown: Shown<ExplanationResult> = (result, format, output) =>
    format === 'json' ? `${renderExplanationJson(result)}\n` : renderExplanation(result, textLayout(output));
  return runOnRules({ ...options, rule: name }, process, 'pacekeeper rules explain', shown, (app, inputs) => {
    const only = { customers: options.customer ?? [], campaign: options.campaign };
    return explainRule(app, ruleNamed(name, inputs.rules), inputs, only);
  });
}
