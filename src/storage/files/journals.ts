import { existsSync, lstatSync, rmSync } from 'node:fs';

export const JOURNALS = ['-wal', '-shm', '-journal'] as const;

export function journalsOf(path: string): string[] {
  return JOURNALS.map((ending) => `${path}${ending}`).filter((journal) => existsSync(journal));
}

/** SQLite would apply old journals to a new file with the same path. */
export function removeJournals(path: string): void {
  for (const journal of journalsOf(path)) {
    if (lstatSync(journal, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`${journal} is a folder, but SQLite needs a file of this name. Move the folder away.`);
    rmSync(journal, { force: true });
  }
}

export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeJournals(path);
}
