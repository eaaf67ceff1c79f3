import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A new folder for each use, gone afterwards. */
export async function withFolder<Result>(parent: string, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(parent, 'own-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The path of a database in a folder of its own, for what SQLite puts beside it. */
export async function withDatabase<Result>(
  parent: string,
  work: (database: string) => Promise<Result>,
): Promise<Result> {
  return withFolder(parent, (folder) => work(join(folder, 'state.sqlite')));
}
