import type { Command } from 'commander';
import { addCommonOptions } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { ScheduleCommandOptions } from './run-schedule.ts';

export function addScheduleCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('schedule'))
    .description('Run the jobs of the settings when they are due, and catch up on what was missed.')
    .option('--once', 'run what has become due since the last time, and end: 1 if a job failed')
    .addHelpText('after', EXAMPLES)
    .action(async (options: ScheduleCommandOptions) => {
      const { runSchedule } = await import('./run-schedule.ts');
      process.exit(await runSchedule(options, process));
    });
}

const EXAMPLES = examples(
  ['pacekeeper schedule', 'pacekeeper schedule --once --data-dir /var/lib/pacekeeper'],
  `It prints one JSON line when it is ready and works until it is asked to end
(Ctrl-C, SIGTERM). docs/schedule.md says how jobs are written down;
docs/deploy/ has units, a timer and a container for it.`,
);
