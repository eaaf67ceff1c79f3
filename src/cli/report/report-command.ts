import type { Command } from 'commander';
import { addCommonOptions, customerOption, formatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import { parameterOption } from '../parameter-option.ts';
import type { Process } from '../process.ts';
import { waitOption } from '../wait-option.ts';
import type { ReportCommandOptions } from './run-report.ts';

export function addReportCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('report'))
    .description('Read the queries, evaluate the rules, change budgets, send alerts, publish the warehouse.')
    .option('--query <name...>', 'only these queries; rules on others are left out')
    .option('--customer <id...>', 'only these accounts', customerOption)
    .option('--param <name=value>', 'a value for :name in the queries; once per value of a list', parameterOption)
    .option('--dry-run', 'read and evaluate; change nothing, send nothing')
    .option('--no-extract', 'evaluate what was read before')
    .addOption(waitOption())
    .addOption(formatOption().choices(['table', 'json', 'html']))
    .addHelpText('after', EXAMPLES)
    .action(async (options: ReportCommandOptions) => {
      const { runReport } = await import('./run-report.ts');
      process.exit(await runReport(options, process));
    });
}

const EXAMPLES = examples([
  'pacekeeper report --dry-run',
  'pacekeeper report --customer 123-456-7890 --format json',
  'pacekeeper report --no-extract --dry-run --format html > report.html',
]);
