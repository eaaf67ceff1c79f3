import type { Command } from 'commander';
import { addCommonOptions, listingFormatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { DoctorCommandOptions } from './run-doctor.ts';

export function addDoctorCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('doctor'))
    .description('Look whether everything is there and answers, and say exactly what to do where not. Changes nothing.')
    .option('--offline', 'ask no service')
    .addOption(listingFormatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: DoctorCommandOptions) => {
      const { runDoctor } = await import('./run-doctor.ts');
      process.exit(await runDoctor(options, process));
    });
}

const EXAMPLES = examples(['pacekeeper doctor', 'pacekeeper doctor --offline --format json']);
