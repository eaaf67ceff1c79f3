import { InputError } from '../domain/errors.ts';
import { type ContextOf, type Inputs, loadInputs, refuseErrors } from '../jobs/load-inputs.ts';
import type { CommandApp } from './command.ts';
import type { ParameterOption } from './common-options.ts';
import { textLayout } from './output.ts';
import { checkContext, refuseUnusedParameters } from './parameters.ts';
import { renderFindings } from './print-error.ts';

/** What a command that runs queries takes of them. */
export interface ChoiceOptions {
  readonly query?: readonly string[];
  readonly param?: readonly ParameterOption[];
  /** Only this rule is asked: what is to be said of the other rules' files is left out. */
  readonly rule?: string;
}

type ChoosingApp = Pick<CommandApp, 'settings' | 'clock' | 'output' | 'log'>;

/**
 * The queries named, all without names, and the rules that read them, checked; warnings are told on stderr. Throws
 * `InputError` with every error of every file.
 */
export async function chooseInputs(
  app: ChoosingApp,
  { query: names = [], param = [], rule: asked }: ChoiceOptions,
): Promise<Inputs> {
  const { settings, clock } = app;
  const context = checkContext(settings, param, clock);
  const isChosen = (name: string) => names.length === 0 || names.includes(name);
  // A query that is not to run now may lack its parameters.
  const contextOf: ContextOf = (name) => ({ ...context, unbound: isChosen(name) ? 'error' : 'warning' });
  const { queries, rules } = settings.paths;
  const inputs = await loadInputs(queries, rules, contextOf, settings.extract.settleDays);
  refuseErrors(inputs);
  refuseUnusedParameters(param, inputs.findings);
  const chosen = chooseQueries(inputs, names);
  const isAsked = (name: string) => asked === undefined || name === asked;
  const ofChosen = inputs.findings.filter(
    ({ query, rule }) => (query === undefined || isChosen(query.name)) && (rule === undefined || isAsked(rule.name)),
  );
  tellWarnings(withoutNotes(ofChosen), app);
  return chosen;
}

/** As people read them, or each as one line of a JSON log. */
function tellWarnings(findings: Inputs['findings'], { settings, output, log }: ChoosingApp): void {
  const { width } = textLayout(output);
  if (settings.logFormat !== 'json') {
    const warnings = renderFindings(findings, width);
    if (warnings !== '') output.stderr.write(`${warnings}\n`);
    return;
  }
  for (const { diagnostics, ...file } of findings) {
    for (const diagnostic of diagnostics) log.warn(renderFindings([{ ...file, diagnostics: [diagnostic] }], width));
  }
}

function chooseQueries(inputs: Inputs, names: readonly string[]): Inputs {
  if (names.length === 0) return inputs;
  const known = inputs.queries.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new InputError(`There is no query ${unknown.join(', ')}; there are ${known.join(', ') || 'none'}.`, {
      nextStep: 'Name a query file without its ending: --query keyword_stats.',
    });
  }
  return {
    ...inputs,
    queries: inputs.queries.filter(({ name }) => names.includes(name)),
    rules: inputs.rules.filter(({ from }) => names.includes(from)),
    otherRules: inputs.rules.filter(({ from }) => !names.includes(from)),
  };
}

/** Notes are for who writes a query, not for who runs it. */
function withoutNotes(findings: Inputs['findings']): Inputs['findings'] {
  return findings.map((file) => ({
    ...file,
    diagnostics: file.diagnostics.filter(({ severity }) => severity !== 'note'),
  }));
}
