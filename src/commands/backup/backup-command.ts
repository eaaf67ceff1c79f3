import { command } from '../../cli/command.ts';
import { WAIT } from '../../cli/common-options.ts';
import { PERSON } from '../../cli/person.ts';
import { argument, flag, type Taken } from '../../cli/takes.ts';

const BACKUP = { where: argument(), force: flag('replace a file that is there') };
export type BackupOptions = Taken<typeof BACKUP>;

const RESTORE = { file: argument(), ...PERSON, ...WAIT };
export type RestoreOptions = Taken<typeof RESTORE>;

export const backupCommand = command({
  name: 'backup',
  summary: 'Copy state.sqlite into one file, beside a run that is on its way, and prove the copy.',
  takes: BACKUP,
  examples: ['pacekeeper backup backups/', 'pacekeeper backup /mnt/other/state.sqlite --force'],
  about: 'In a folder each copy is named after its time. What else is worth a copy\nstands in docs/upgrade.md.',
  load: async () => (await import('./run-backup.ts')).runBackup,
});

export const restoreCommand = command({
  name: 'restore',
  summary: 'Put a copy in the place of state.sqlite, which is kept, and freeze budgets that may have changed since.',
  takes: RESTORE,
  examples: [
    'pacekeeper restore backups/state-2026-11-20T120000Z.sqlite',
    'pacekeeper restore backups/state.sqlite --by anna',
  ],
  about: 'Stop schedule and serve first. What a copy does not know stands in\ndocs/upgrade.md.',
  opens: { what: 'folder', lock: true },
  load: async () => (await import('./run-restore.ts')).runRestore,
});
