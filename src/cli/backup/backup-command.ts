import type { Command } from 'commander';
import { addCommonOptions } from '../common-options.ts';
import { examples } from '../examples.ts';
import { addPersonOptions } from '../person.ts';
import type { Process } from '../process.ts';
import { waitOption } from '../wait-option.ts';
import type { BackupCommandOptions } from './run-backup.ts';
import type { RestoreCommandOptions } from './run-restore.ts';

export function addBackupCommands(program: Command, process: Process): void {
  addCommonOptions(program.command('backup <where>'))
    .description('Copy state.sqlite into one file, beside a run that is on its way, and prove the copy.')
    .option('--force', 'replace a file that is there')
    .addHelpText('after', BACKUP_EXAMPLES)
    .action(async (where: string, options: BackupCommandOptions) => {
      const { runBackup } = await import('./run-backup.ts');
      process.exit(await runBackup(where, options, process));
    });
  addPersonOptions(addCommonOptions(program.command('restore <file>')), 'optional')
    .description(
      'Put a copy in the place of state.sqlite, which is kept, and freeze budgets that may have changed since.',
    )
    .addOption(waitOption())
    .addHelpText('after', RESTORE_EXAMPLES)
    .action(async (file: string, options: RestoreCommandOptions) => {
      const { runRestore } = await import('./run-restore.ts');
      process.exit(await runRestore(file, options, process));
    });
}

const BACKUP_EXAMPLES = examples(
  ['pacekeeper backup backups/', 'pacekeeper backup /mnt/other/state.sqlite --force'],
  'In a folder each copy is named after its time. What else is worth a copy\nstands in docs/upgrade.md.',
);

const RESTORE_EXAMPLES = examples(
  ['pacekeeper restore backups/state-2026-11-20T120000Z.sqlite', 'pacekeeper restore backups/state.sqlite --by anna'],
  'Stop schedule and serve first. What a copy does not know stands in\ndocs/upgrade.md.',
);
