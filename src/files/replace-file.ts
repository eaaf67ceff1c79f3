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
  /** 0o644 by default. Until the file is whole, only its owner may read it. */
  readonly mode?: number;
  readonly next?: string;
  /** Fails with EEXIST if `next` exists, so that only one of two processes changes the file. */
  readonly alone?: boolean;
  readonly beforeRename?: (next: string) => void;
}

/** Beside `path`, because a rename must not leave the disk. */
export function nextPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.next`);
}

export function ownNextPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.next`);
}

/**
 * Fills a new file beside `path`, then renames it. Readers see the old file or the new one, never a half. Replaces a
 * link, not its target. A failure leaves the old file and nothing beside it.
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

/** With `alone`, `makeText` runs while no other process can begin. */
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

/** Renames to the first free name and never replaces a file. Undefined where all are taken. */
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
  // Not every file system has hard links.
  if (lstatSync(name, { throwIfNoEntry: false }) !== undefined) return false;
  renameSync(next, name);
  return true;
}

/** Creates an empty file of ours. In a folder that others may write to, a link of this name would lead elsewhere. */
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
    // The caller throws the failure itself.
  }
}
