import { type CatalogueSettings, chooseCatalogue } from '../../config/load-catalogue.ts';
import { completenessOf } from '../../config/of-account.ts';
import type { Settings } from '../../config/settings.ts';
import { civilDateAt } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import {
  type CheckedTest,
  type ContextOf,
  type FileFindings,
  type Inputs,
  loadInputs,
  refuseErrors,
  withFixedRates,
} from '../../engine/load-inputs.ts';
import type { CheckContext } from '../../language/gaql/check/check-query.ts';
import { CALENDAR_NAMES, isCalendarName } from '../../language/gaql/check/date-window.ts';
import { didYouMean } from '../../language/gaql/check/suggest.ts';
import type { Rule } from '../../language/rules/rule.ts';
import { type Target, targetAsRule } from '../../language/targets/target.ts';
import type { CommandApp } from './command.ts';
import type { ParameterOption } from './common-options.ts';
import { textLayout } from './output.ts';
import { renderFindings } from './print-error.ts';

export interface ChoiceOptions {
  readonly query?: readonly string[];
  readonly param?: readonly ParameterOption[];
  readonly rule?: string;
}

type ChoosingApp = Pick<CommandApp, 'settings' | 'clock' | 'output' | 'log'>;

/** Throws `InputError` with the errors of all files. */
export async function chooseInputs(
  app: ChoosingApp,
  { query: names = [], param = [], rule: asked }: ChoiceOptions,
): Promise<Inputs> {
  const { settings, clock } = app;
  const context = checkContext(settings, param, clock, (warning) => app.log.warn(warning));
  const isChosen = (name: string) => names.length === 0 || names.includes(name);
  // Only chosen queries need values for their parameters.
  const contextOf: ContextOf = (name) => ({ ...context, unbound: isChosen(name) ? 'error' : 'warning' });
  const inputs = withFixedRates(await loadInputs(settings.paths, contextOf, completenessOf(settings)), settings);
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

function tellWarnings(findings: Inputs['findings'], { settings, output, log }: ChoosingApp): void {
  const { width } = textLayout(output);
  if (settings.log.format !== 'json') {
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
    throw new InputError(`Unknown query: found ${unknown.join(', ')}, expected one of ${known.join(', ')}.`, {
      nextStep: 'Write the name of a query file without its ending: --query keyword_stats.',
    });
  }
  const isOfChosen = ({ reads }: Rule) => reads.every(({ name }) => names.includes(name));
  const isTestOfChosen = ({ model }: CheckedTest) => model.tables.every(({ name }) => names.includes(name));
  const isTargetOfChosen = (target: Target) => isOfChosen(targetAsRule(target));
  return {
    ...inputs,
    queries: inputs.queries.filter(({ name }) => names.includes(name)),
    rules: inputs.rules.filter(isOfChosen),
    targets: inputs.targets.filter(isTargetOfChosen),
    tests: inputs.tests.filter(isTestOfChosen),
    otherTests: inputs.tests.filter((test) => !isTestOfChosen(test)),
    otherRules: [
      ...inputs.rules.filter((rule) => !isOfChosen(rule)),
      ...inputs.targets.filter((target) => !isTargetOfChosen(target)).map(targetAsRule),
    ],
  };
}

function withoutNotes(findings: Inputs['findings']): Inputs['findings'] {
  return findings.map((file) => ({
    ...file,
    diagnostics: file.diagnostics.filter(({ severity }) => severity !== 'note'),
  }));
}

/** A target has a rule that stands for those of all accounts. */
export function ruleNamed(
  name: string,
  inputs: Pick<Inputs, 'rules' | 'targets'>,
  example: string,
): { readonly rule: Rule; readonly target: Target | undefined } {
  const target = inputs.targets.find((one) => one.name === name);
  const rules = [...inputs.rules, ...inputs.targets.map(targetAsRule)];
  const rule = rules.find((one) => one.name === name);
  if (rule) return { rule, target };
  const names = rules.map((one) => one.name);
  if (names.length === 0) {
    throw new InputError(`No such rule: found ${name}, but there are no rules.`, {
      nextStep: 'Write a rule (docs/rules.md), or name another folder with --rules.',
    });
  }
  throw new InputError(`No such rule: found ${name}, expected one of ${names.join(', ')}.`, {
    nextStep: didYouMean(name, names) ?? `Write the name of a rule file without its ending: ${example}.`,
  });
}

/** Throws `InputError` if a parameter has the name of a calendar day. */
export function checkContext(
  settings: CatalogueSettings & Pick<Settings, 'params' | 'check'>,
  given: readonly ParameterOption[],
  clock: Clock,
  warn: (sentence: string) => void,
): CheckContext {
  const parameters = new Map(settings.params);
  for (const { name } of given) {
    if (isCalendarName(name)) {
      throw new InputError(`Invalid parameter :${name}: this name is reserved for a calendar day of the account.`, {
        nextStep: `Choose a name other than ${CALENDAR_NAMES.join(', ')}.`,
      });
    }
    parameters.set(name, []);
  }
  for (const { name, value } of given) parameters.set(name, [...(parameters.get(name) ?? []), value]);
  const today = civilDateAt(clock.now(), 'UTC');
  const { catalogue, warning } = chooseCatalogue(settings);
  if (warning !== undefined) warn(warning);
  return { catalogue, today, parameters, unknownFields: settings.check.unknownFields };
}

/** Throws `InputError` for a parameter that no query has, unless a file has errors. */
export function refuseUnusedParameters(given: readonly ParameterOption[], files: readonly FileFindings[]): void {
  const used = new Set(files.flatMap(({ query }) => query?.parameters ?? []));
  const unused = given.find(({ name }) => !used.has(name));
  if (!unused || files.some(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'))) return;
  throw new InputError(`No query has the parameter :${unused.name}.`, {
    nextStep: didYouMean(unused.name, used) ?? 'Remove --param, or use the parameter in a query.',
  });
}
