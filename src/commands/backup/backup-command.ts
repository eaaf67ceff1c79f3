import { command } from '../cli/command.ts';
import { WAIT } from '../cli/common-options.ts';
import { PERSON } from '../cli/person.ts';
import { argument, flag, type Taken } from '../cli/takes.ts';

const BACKUP = { where: argument(), force: flag('replace an existing file') };
export type BackupOptions = Taken<typeof BACKUP>;

const RESTORE = { file: argument(), ...PERSON, ...WAIT };
export type RestoreOptions = Taken<typeof RESTORE>;

export const backupCommand = command({
  name: 'backup',
  summary: 'Copy state.sqlite into one file and verify the copy. Works during a run, too.',
  takes: BACKUP,
  examples: ['pacekeeper backup backups/', 'pacekeeper backup /mnt/other/state.sqlite --force'],
  about:
    'WHERE is a folder or a file. In a folder, each copy is named after its time.\nSee docs/upgrade.md for other files to copy.',
  needsFiles: true,
  load: async () => (await import('./run-backup.ts')).runBackup,
});

export const restoreCommand = command({
  name: 'restore',
  summary: 'Replace state.sqlite with a copy and keep the old file. Freezes budgets if they may have changed since.',
  takes: RESTORE,
  examples: [
    'pacekeeper restore backups/state-2026-11-20T120000Z.sqlite',
    'pacekeeper restore backups/state.sqlite --by anna',
  ],
  about: 'Stop schedule and serve first. docs/upgrade.md lists what a copy lacks.',
  opens: { what: 'folder', lock: true },
  needsFiles: true,
  load: async () => (await import('./run-restore.ts')).runRestore,
});
