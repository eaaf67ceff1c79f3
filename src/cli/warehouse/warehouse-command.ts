import type { Command } from 'commander';
import { addCommonOptions } from '../common-options.ts';
import { examples } from '../examples.ts';
import { parameterOption } from '../parameter-option.ts';
import type { Process } from '../process.ts';
import type { RebuildCommandOptions } from './run-rebuild.ts';

export function addWarehouseCommand(program: Command, process: Process): void {
  const warehouse = program
    .command('warehouse')
    .description('Look after the tables that queries fill.')
    .addHelpText(
      'after',
      examples(['pacekeeper warehouse rebuild keyword_stats --dry-run', 'pacekeeper warehouse rebuild keyword_stats']),
    );
  addCommonOptions(warehouse.command('rebuild <name>'))
    .description(
      'Take the rows of a table away and make it anew for what its query is now; without a query file, drop it.',
    )
    .option('--param <name=value>', 'a value for :name in the queries; once per value of a list', parameterOption)
    .option('--dry-run', 'say how many rows it would take away; change nothing')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, options: RebuildCommandOptions) => {
      const { runRebuild } = await import('./run-rebuild.ts');
      process.exit(await runRebuild(name, options, process));
    });
}

const EXAMPLES = examples([
  'pacekeeper warehouse rebuild keyword_stats --dry-run',
  'pacekeeper warehouse rebuild keyword_stats',
]);
