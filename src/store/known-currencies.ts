import { existsSync } from 'node:fs';
import { openToLook } from './open-to-look.ts';

/** The currencies of the accounts that earlier runs have met; none where the file cannot say. */
export function knownCurrencies(path: string): string[] {
  if (!existsSync(path)) return [];
  try {
    const database = openToLook(path);
    try {
      const sql = 'SELECT DISTINCT currency FROM account WHERE currency IS NOT NULL ORDER BY currency';
      return database.prepare(sql).pluck().all() as string[];
    } finally {
      database.close();
    }
  } catch {
    // Whatever is wrong with the file is for the run that needs it to say.
    return [];
  }
}
