import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { JOURNALS, journalsOf } from '../files/journals.ts';
import { replaceDatabase } from '../files/replace-file.ts';
import { closeJournal } from '../store/copy-database.ts';
import { holdsNothing, lookAtState } from '../store/look-at-state.ts';

/**
 * Puts a state file that was made beside `path` in its place. What was there is kept under `name`, unless there was nothing in
 * it; answers with where. Who is killed on the way leaves the old file or the new one whole.
 */
export function putInPlace(next: string, path: string, name: string): string | undefined {
  const kept = freeName(dirname(path), name);
  const holdsSomething = existsSync(path) && !holdsNothing(path);
  if (holdsSomething) keep(path, kept);
  setJournalsAside(path, kept);
  closeJournal(next);
  replaceDatabase(next, path);
  return holdsSomething ? kept : undefined;
}

/** The first name of that kind that no file of the folder has, nor a journal of one that is gone. */
export function freeName(folder: string, name: string): string {
  const stem = join(folder, name);
  let free = `${stem}.sqlite`;
  for (let count = 2; existsSync(free) || journalsOf(free).length > 0; count++) free = `${stem}-${count}.sqlite`;
  return free;
}

/** Gives a file a second name, so that at every moment there is one of the first. */
export function giveSecondName(path: string, second: string): void {
  try {
    linkSync(path, second);
  } catch {
    // Not every file system has second names.
    copyFileSync(path, second);
  }
}

function keep(path: string, kept: string): void {
  const look = lookAtState(path).kind;
  if (look !== 'damaged' && look !== 'unreadable') closeJournal(path);
  giveSecondName(path, kept);
  chmodSync(kept, 0o600);
}

/** None may stay behind, not even one whose file is gone: SQLite would take it for that of the new file. */
function setJournalsAside(path: string, kept: string): void {
  for (const ending of JOURNALS) {
    if (!existsSync(`${path}${ending}`)) continue;
    // The journal of a damaged file may hold what saves it; its index is made anew.
    if (ending === '-shm') rmSync(`${path}${ending}`);
    else renameSync(`${path}${ending}`, `${kept}${ending}`);
  }
}
