import { randomBytes } from 'node:crypto';
import {
  closeSync,
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
  /** Everybody may read the new file unless told otherwise. Until it is whole it is its owner's alone. */
  readonly mode?: number;
  /** Where the new file is made; {@link nextPath} unless told otherwise. */
  readonly next?: string;
  /** Fails with EEXIST where `next` is there: of two processes that change a file at once, one does. Otherwise it is written over. */
  readonly alone?: boolean;
  /** Called when the new file is whole and on the disk. */
  readonly beforeRename?: (next: string) => void;
}

/** The name of a file that is to take the place of `path`: beside it, because a rename must not leave the disk. */
export function nextPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.next`);
}

/** A name beside `path` that no other process writes to. */
export function ownNextPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.next`);
}

/**
 * Makes `path` by filling a new, empty file beside it and renaming that: a reader sees the old file or the new one, never a
 * half, and keeps the one it has open. A link is replaced, not what it leads to. A failure leaves the old file, and nothing
 * beside it.
 */
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

/** As {@link replaceFile}. The text is made when nobody else can begin alone. */
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

/** Gives a whole database the place of another, whose journals SQLite would take for those of the new one. */
export function replaceDatabase(next: string, path: string): void {
  removeJournals(path);
  renameSync(next, path);
}

/** Gives a whole file the first of the names that is free, without ever replacing one; undefined where none is. */
export function takeName(next: string, names: Iterable<string>): string | undefined {
  for (const name of names) if (isTaken(next, name)) return name;
  return undefined;
}

function isTaken(next: string, name: string): boolean {
  // A journal that is left beside a name belongs to another file.
  if (journalsOf(name).length > 0) return false;
  try {
    linkSync(next, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
  }
  // Not every file system has second names.
  if (lstatSync(name, { throwIfNoEntry: false }) !== undefined) return false;
  renameSync(next, name);
  return true;
}

/**
 * Makes the file empty and new, ours and nobody else's: in a folder that others may write to, a link under its name would lead
 * elsewhere. What stood beside it belonged to another file.
 */
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

/** Returns when the file is on the disk. */
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
    // The failure itself is told.
  }
}
