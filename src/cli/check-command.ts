import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readEnvironment } from '../config/environment.ts';
import { readSettings } from '../config/read-settings.ts';
import { checkFiles, filesIn, type Inputs, isRuleFile, loadInputs, QUERY_ENDINGS } from '../jobs/load-inputs.ts';
import { addCommonOptions, type CommonOptions } from './common-options.ts';
import { EXIT, renderFindings } from './print-error.ts';
import type { Process } from './process.ts';

export function addCheckCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('check'))
    .description('Check query files and rule files offline. Without FILES: all of both folders.')
    .argument('[files...]', 'query files (.sql, .gaql) and rule files (.yaml)')
    .addHelpText('after', EXAMPLES)
    .action((files: string[], options: CommonOptions) => process.exit(run(files, options, process)));
}

const EXAMPLES = `
Examples:
  $ pacekeeper check
  $ pacekeeper check queries/keyword_stats.sql`;

function run(files: readonly string[], options: CommonOptions, { folder, env, output }: Process): number {
  const { paths } = readSettings(folder, options, readEnvironment(folder, env));
  const inputs = files.length === 0 ? loadInputs(paths.queries, paths.rules) : checkNamed(files, folder, paths.queries);
  const all = inputs.findings.flatMap(({ diagnostics }) => diagnostics);
  const errors = all.filter(({ severity }) => severity === 'error').length;
  const text = renderFindings(inputs.findings);
  if (text !== '') output.stdout.write(`${text}\n\n`);
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  const summary = [
    count(inputs.findings.length, 'file'),
    count(errors, 'error'),
    count(all.length - errors, 'warning'),
  ];
  output.stdout.write(`${summary.join(', ')}.\n`);
  return errors === 0 ? EXIT.done : EXIT.badInput;
}

/** A rule is checked against the tables of the queries folder; only what was named is shown. */
function checkNamed(files: readonly string[], folder: string, queriesDir: string): Inputs {
  const paths = files.map((file) => resolve(folder, file));
  const rules = paths.filter(isRuleFile);
  const queries = paths.filter((path) => !isRuleFile(path));
  if (rules.length === 0) return checkFiles(queries, []);
  const others = filesIn(queriesDir, QUERY_ENDINGS, 'queries').filter((path) => !queries.includes(path));
  const inputs = checkFiles([...queries, ...others], rules);
  const shown = inputs.findings.filter((_, index) => index < queries.length || index >= queries.length + others.length);
  return { ...inputs, findings: shown };
}
