import { type Command, Option } from 'commander';
import { withApp } from '../app.ts';
import { readEnvironment } from '../config/environment.ts';
import { readSettings } from '../config/read-settings.ts';
import { InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { createRedact } from '../http/redact.ts';
import { type Inputs, loadInputs, refuseErrors } from '../jobs/load-inputs.ts';
import { report } from '../jobs/report.ts';
import { renderReportJson } from '../report/render-json.ts';
import { renderReportText } from '../report/render-text.ts';
import { createClock, systemPauses } from '../system-time.ts';
import { addCommonOptions, type CommonOptions, customerOption } from './common-options.ts';
import { createLog, textLayout } from './output.ts';
import { EXIT, renderFindings } from './print-error.ts';
import type { Process } from './process.ts';

interface ReportCommandOptions extends CommonOptions {
  readonly query?: readonly string[];
  readonly customer?: readonly CustomerId[];
  readonly dryRun?: boolean;
  readonly extract: boolean;
  readonly format: 'table' | 'json';
}

export function addReportCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('report'))
    .description('Read the queries, evaluate the rules, change budgets, send alerts, publish the warehouse.')
    .option('--query <name...>', 'only these queries; rules on others are left out')
    .option('--customer <id...>', 'only these accounts', customerOption)
    .option('--dry-run', 'read and evaluate; change nothing, send nothing')
    .option('--no-extract', 'evaluate what was read before')
    .addOption(new Option('--format <format>', 'how to print').choices(['table', 'json']).default('table'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: ReportCommandOptions) => process.exit(await run(options, process)));
}

const EXAMPLES = `
Examples:
  $ pacekeeper report --dry-run
  $ pacekeeper report --customer 123-456-7890 --format json`;

async function run(options: ReportCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = readSettings(folder, options, readEnvironment(folder, env));
  const inputs = loadInputs(settings.paths.queries, settings.paths.rules);
  refuseErrors(inputs);
  const warnings = renderFindings(inputs.findings);
  if (warnings !== '') output.stderr.write(`${warnings}\n`);
  const chosen = chooseQueries(inputs, options.query ?? []);

  const log = createLog(output, createRedact(settings.secrets));
  const deps = { clock: createClock(settings.startAtMs), pauses: systemPauses, log };
  const job = { customers: options.customer ?? [], dryRun: options.dryRun ?? false, noExtract: !options.extract };
  const outcome = await withApp(settings, deps, 'pacekeeper report', (app) => report(app, chosen, job));
  if (outcome.kind === 'busy') {
    output.stderr.write(`error: ${settings.paths.data} is in use by ${outcome.holder}.\n`);
    output.stderr.write('next step: Wait until it ends, or give this run a folder of its own with --data-dir.\n');
    return EXIT.failed;
  }
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
