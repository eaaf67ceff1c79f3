import { withApp } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { createRedact } from '../../http/redact.ts';
import { type Inputs, loadInputs, refuseErrors } from '../../jobs/load-inputs.ts';
import { report } from '../../jobs/report.ts';
import { renderReportJson } from '../../report/render-json.ts';
import { renderReportText } from '../../report/render-text.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { createLog, textLayout } from '../output.ts';
import type { ParameterOption } from '../parameter-option.ts';
import { checkContext, refuseUnusedParameters } from '../parameters.ts';
import { renderFindings } from '../print-error.ts';
import type { Process } from '../process.ts';
import { tellBusy } from '../tell-busy.ts';

export interface ReportCommandOptions extends CommonOptions {
  readonly query?: readonly string[];
  readonly customer?: readonly CustomerId[];
  readonly param?: readonly ParameterOption[];
  readonly dryRun?: boolean;
  readonly extract: boolean;
  readonly format: 'table' | 'json';
}

/** The report command. Answers with the exit code. */
export async function runReport(options: ReportCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const { param = [], query: names = [] } = options;
  const context = checkContext(settings, param, clock);
  const isChosen = (name: string) => names.length === 0 || names.includes(name);
  // A query that is not to run now may lack its parameters.
  const inputs = await loadInputs(settings.paths.queries, settings.paths.rules, (name) => ({
    ...context,
    unbound: isChosen(name) ? 'error' : 'warning',
  }));
  refuseErrors(inputs);
  refuseUnusedParameters(param, inputs.findings);
  const chosen = chooseQueries(inputs, names);
  const ofChosen = inputs.findings.filter(({ query }) => query === undefined || isChosen(query.name));
  const warnings = renderFindings(withoutNotes(ofChosen), textLayout(output).width);
  if (warnings !== '') output.stderr.write(`${warnings}\n`);

  const log = createLog(output, createRedact(settings.secrets));
  const deps = { clock, pauses: systemPauses, log };
  const job = { customers: options.customer ?? [], dryRun: options.dryRun ?? false, noExtract: !options.extract };
  const outcome = await withApp(settings, deps, 'pacekeeper report', (app) => report(app, chosen, job));
  if (outcome.kind === 'busy') return tellBusy(output, settings.paths.data, outcome.holder);
  const { value } = outcome;
  output.stdout.write(
    options.format === 'json' ? `${renderReportJson(value)}\n` : renderReportText(value, textLayout(output)),
  );
  return value.run.exitCode;
}

/** The queries named, and the rules that read them. Throws `InputError` for a name that no file has. */
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
  };
}

/** Notes are for who writes a query, not for who runs it. */
function withoutNotes(findings: Inputs['findings']): Inputs['findings'] {
  return findings.map((file) => ({
    ...file,
    diagnostics: file.diagnostics.filter(({ severity }) => severity !== 'note'),
  }));
}
