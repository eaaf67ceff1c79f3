import { type App, withApp } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';
import { explainRule } from '../../jobs/explain-rule.ts';
import type { Inputs } from '../../jobs/load-inputs.ts';
import { tryRules } from '../../jobs/try-rules.ts';
import { evaluationRows, renderEvaluation, renderEvaluationJson } from '../../report/render-evaluation.ts';
import { renderExplanation, renderExplanationJson } from '../../report/render-explanation.ts';
import type { EvaluationResult, ExplanationResult } from '../../report/rules-result.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import { type ChoiceOptions, chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { type Output, textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import { type ListingFormat, listingText } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { tellBusy } from '../tell-busy.ts';

export interface EvaluateCommandOptions extends CommonOptions, Pick<ChoiceOptions, 'param'> {
  readonly customer?: readonly CustomerId[];
  readonly campaign?: CampaignId;
  readonly format: ListingFormat;
}

type Shown<Result> = (result: Result, format: ListingFormat, output: Output) => string;

/** The rules evaluate command. Answers with the exit code. */
export function runEvaluate(options: EvaluateCommandOptions, process: Process): Promise<number> {
  const shown: Shown<EvaluationResult> = (result, format, output) =>
    listingText(output, format, 'rules evaluate', {
      table: (layout) => renderEvaluation(result, layout),
      json: () => renderEvaluationJson(result),
      rows: () => evaluationRows(result),
    });
  return run(options, process, 'pacekeeper rules evaluate', shown, (app, inputs) =>
    tryRules(app, inputs, options.customer ?? []),
  );
}

/** The rules explain command. Answers with the exit code. */
export function runExplain(name: string, options: EvaluateCommandOptions, process: Process): Promise<number> {
  const shown: Shown<ExplanationResult> = (result, format, output) =>
    format === 'json' ? `${renderExplanationJson(result)}\n` : renderExplanation(result, textLayout(output));
  return run(options, process, 'pacekeeper rules explain', shown, (app, inputs) => {
    const only = { customers: options.customer ?? [], campaign: options.campaign };
    return explainRule(app, ruleNamed(name, inputs.rules), inputs, only);
  });
}

async function run<Result extends { readonly failures: readonly string[] }>(
  options: EvaluateCommandOptions,
  { folder, env, output }: Process,
  command: string,
  shown: Shown<Result>,
  job: (app: App, inputs: Inputs) => Promise<Result>,
): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const inputs = await chooseInputs(settings, options, clock, output);
  const log = await openLog(output, settings, clock);
  const outcome = await withApp(settings, { clock, pauses: systemPauses, log }, command, (app) => job(app, inputs));
  if (outcome.kind === 'busy') return tellBusy(output, settings, outcome.holder);
  const { value } = outcome;
  output.stdout.write(shown(value, options.format, output));
  return value.failures.length === 0 ? EXIT.done : EXIT.failed;
}

function ruleNamed(name: string, rules: Inputs['rules']): Inputs['rules'][number] {
  const rule = rules.find((one) => one.name === name);
  if (rule) return rule;
  const names = rules.map((one) => one.name);
  throw new InputError(`There is no rule ${name}; there are ${names.join(', ') || 'none'}.`, {
    nextStep:
      didYouMean(name, names) ?? 'Name a rule file without its ending: pacekeeper rules explain trim-expensive-clicks.',
  });
}
