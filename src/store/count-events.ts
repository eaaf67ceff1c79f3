import type Database from 'better-sqlite3';
import { openToLook } from './open-to-look.ts';

/** How many events of the record a file of whatever version holds; undefined where it is no database, or damaged. */
export function countEvents(path: string): number | undefined {
  let file: Database.Database | undefined;
  try {
    file = openToLook(path);
    const hasRecord = file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'budget_event'").get() !== undefined;
    if (!hasRecord) return 0;
    return file.prepare<[], number>('SELECT count(*) FROM budget_event').pluck().get();
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}
