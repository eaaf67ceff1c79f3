import { existsSync, lstatSync, rmSync } from 'node:fs';

/** The files that stand beside a database while it is used. */
export const JOURNALS = ['-wal', '-shm', '-journal'] as const;

/** Those of them that stand beside a path. */
export function journalsOf(path: string): string[] {
  return JOURNALS.map((ending) => `${path}${ending}`).filter((journal) => existsSync(journal));
}

/** To be called before another file takes the path: SQLite would take them for the new file's. */
export function removeJournals(path: string): void {
  for (const journal of journalsOf(path)) {
    if (lstatSync(journal, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`${journal} is a folder, and SQLite needs the name. Move it away.`);
    rmSync(journal, { force: true });
  }
}

/** With all that stands beside it. */
export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeJournals(path);
}
