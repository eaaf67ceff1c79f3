import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { lookAtPages, type PagesLook, whyUnread } from './look-at-pages.ts';
import { MIGRATION_NAMES } from './open-state.ts';
import { openToLook } from './open-to-look.ts';
import { schemaFault } from './schema-fault.ts';

/** What a state file is, seen without touching it. */
export type StateLook =
  | { readonly kind: 'sound'; readonly version: string }
  /** The next run brings it up to date. */
  | { readonly kind: 'older'; readonly version: string }
  | { readonly kind: 'newer'; readonly version: string }
  /** What is wrong may be of the record of budget changes, which somebody may have wanted to alter. */
  | { readonly kind: 'damaged'; readonly reason: string; readonly ofRecord?: boolean }
  | Exclude<PagesLook, { kind: 'whole' | 'damaged' }>;

/** The version of a database in which nothing was made yet, or that is none of ours. */
export const NOTHING_YET = '0000';

/**
 * Looks at the file beside whoever works with it: by which version it was written, and whether it is whole and holds
 * what the migrations make. Writes nothing.
 */
export function lookAtState(path: string, depth: 'quick' | 'thorough' = 'quick'): StateLook {
  const pages = lookAtPages(path, depth);
  if (pages.kind !== 'whole') return pages;
  let file: Database.Database | undefined;
  try {
    file = openToLook(path);
    const done = isBegun(file)
      ? file.prepare<[], string>('SELECT name FROM kysely_migration ORDER BY name').pluck().all()
      : [];
    const version = done.at(-1)?.slice(0, 4) ?? NOTHING_YET;
    if (done.some((name) => !MIGRATION_NAMES.includes(name))) return { kind: 'newer', version };
    // What it must hold is judged when it is brought up to date.
    if (done.length < MIGRATION_NAMES.length) return { kind: 'older', version };
    const fault = schemaFault(file);
    if (fault === undefined) return { kind: 'sound', version };
    return { kind: 'damaged', reason: fault.words, ofRecord: fault.ofRecord };
  } catch (error) {
    return whyUnread(error);
  } finally {
    file?.close();
  }
}

/** Whether nothing was made in the file yet, of which no page but the first is looked at. Writes nothing. */
export function holdsNothing(path: string): boolean {
  if (statSync(path).size === 0) return true;
  let file: Database.Database | undefined;
  try {
    file = openToLook(path);
    return !isBegun(file);
  } catch {
    // Who opens it says what is wrong with it.
    return false;
  } finally {
    file?.close();
  }
}

function isBegun(file: Database.Database): boolean {
  return file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'").get() !== undefined;
}
