import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { journalsOf, removeDatabase, removeJournals } from './journals.ts';

export interface Replacing {
  /** Default: 0o644. Until the file is complete, only its owner can read the file. */
  readonly mode?: number;
  readonly next?: string;
  /** If true, fails with EEXIST if another process replaces the file, or was killed while it did. */
  readonly alone?: boolean;
  readonly beforeRename?: (next: string) => void;
}

/** The new file is in the same folder, because a rename cannot move a file to another disk. */
export function nextPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.next`);
}

export function ownNextPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.next`);
}

/** Readers never see half a file, and a failure keeps the old file. A link is replaced, not its target. */
export async function replaceFile<Value>(
  path: string,
  write: (next: string) => Promise<Value>,
  replacing: Replacing = {},
): Promise<Value> {
  const next = begin(path, replacing);
  try {
    const value = await write(next);
    finish(next, path, replacing);
    return value;
  } catch (error) {
    giveUp(next);
    throw error;
  }
}

/** If all callers use `alone`, only one process at a time runs `makeText`. */
export function replaceText(path: string, makeText: () => string, replacing: Replacing = {}): void {
  const next = begin(path, replacing);
  try {
    writeFileSync(next, makeText());
    finish(next, path, replacing);
  } catch (error) {
    giveUp(next);
    throw error;
  }
}

export function replaceDatabase(next: string, path: string): void {
  removeJournals(path);
  renameSync(next, path);
}

/** Uses the first free name. Returns undefined if all names are taken. */
export function takeName(next: string, names: Iterable<string>): string | undefined {
  for (const name of names) if (isTaken(next, name)) return name;
  return undefined;
}

function isTaken(next: string, name: string): boolean {
  // SQLite would apply a journal of another database to the new file.
  if (journalsOf(name).length > 0) return false;
  try {
    linkSync(next, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
  }
  // Some file systems have no hard links, so the file is renamed.
  if (lstatSync(name, { throwIfNoEntry: false }) !== undefined) return false;
  renameSync(next, name);
  return true;
}

/** Removes an old file first, because it could be a link to another file. */
export function beginAnew(next: string): void {
  removeDatabase(next);
  closeSync(openSync(next, 'wx', 0o600));
}

function begin(path: string, { next = nextPath(path), alone = false }: Replacing): string {
  if (alone) closeSync(openSync(next, 'wx', 0o600));
  else beginAnew(next);
  return next;
}

function finish(next: string, path: string, { mode = 0o644, beforeRename }: Replacing): void {
  flush(next, mode);
  beforeRename?.(next);
  renameSync(next, path);
}

export function flush(path: string, mode?: number): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
    if (mode !== undefined) fchmodSync(descriptor, mode);
  } finally {
    closeSync(descriptor);
  }
}

function giveUp(next: string): void {
  try {
    rmSync(next, { force: true });
  } catch {
    // Ignores this failure, because the caller throws the earlier failure.
  }
}

/** The verb of a message about a file that was not replaced. */
export function leftAsItWas(path: string): string {
  return existsSync(path) ? 'is unchanged' : 'does not exist yet';
}
