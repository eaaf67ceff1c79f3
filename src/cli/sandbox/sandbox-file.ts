import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { openSandboxStore, type SandboxStore } from '../../sandbox/sandbox-store.ts';
import { isWritable, openCopy } from '../../store/open-to-look.ts';
import type { CommonOptions } from '../common-options.ts';

/** Where the sandbox keeps what it knows; an option wins over the settings. */
export function sandboxFile({ sandbox, paths }: Settings, { dataDir }: CommonOptions): string {
  return join(dataDir === undefined ? (sandbox.dataDir ?? paths.data) : paths.data, 'sandbox.sqlite');
}

/** The file of a sandbox that has run, beside one that may run still. Throws `InputError` when there is none. */
export function withSandboxStore<Value>(path: string, use: (store: SandboxStore) => Value, looksOnly = false): Value {
  if (!existsSync(path)) {
    throw new InputError(`There is no ${path}: no sandbox has run with this data folder.`, {
      nextStep: 'Run pacekeeper report or pacekeeper sandbox first, or name the folder with --data-dir.',
    });
  }
  const store = openSandboxStore(looksOnly && !isWritable(dirname(path)) ? openCopy(path, false) : path);
  try {
    return use(store);
  } finally {
    store.close();
  }
}
