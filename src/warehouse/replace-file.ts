import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { removeDatabase } from '../store/copy-database.ts';

/** Where a file is written before it takes the place of `path`: beside it, for a rename must not leave the disk. */
export function nextPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.next`);
}

/**
 * Makes `path` by filling a new, empty file beside it and renaming that: a reader sees the old file or the new one, never a
 * half, and keeps the one it has open. What fails half-way leaves the old one, and nothing beside it; what a killed
 * process left is written over. Everybody may read it. `beforeRename` is told when the new file is whole and on the disk.
 */
export async function replaceFile<Value>(
  path: string,
  write: (next: string) => Promise<Value>,
  beforeRename: (next: string) => void = () => {},
): Promise<Value> {
  const next = nextPath(path);
  try {
    beginAnew(next);
    const value = await write(next);
    const descriptor = openSync(next, 'r+');
    fsyncSync(descriptor);
    fchmodSync(descriptor, 0o644);
    closeSync(descriptor);
    beforeRename(next);
    renameSync(next, path);
    return value;
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/**
 * Makes the file empty and new, ours and nobody else's: in a folder that others may write to, a link under its name would lead
 * elsewhere. What stood beside it belonged to another file.
 */
export function beginAnew(next: string): void {
  removeDatabase(next);
  closeSync(openSync(next, 'wx', 0o600));
}
