import type Database from 'better-sqlite3';
import { openToLook } from './open-to-look.ts';
import { isDamaged } from './unusable-database.ts';

/** What the pages of a database file are. */
export type PagesLook =
  | { readonly kind: 'whole' }
  /** `reason` names the tables that are concerned, where SQLite says so. */
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Looks at every page of a database beside whoever works with it, and writes nothing. `quick`: whether the pages hold
 * together. `thorough` compares every index with its table as well, and every row with those it points to, for a copy that
 * is to be relied on: it takes several times as long.
 */
export function lookAtPages(path: string, depth: 'quick' | 'thorough' = 'quick'): PagesLook {
  let file: Database.Database | undefined;
  try {
    file = openToLook(path);
    const complaint = complaintOf(file, depth === 'quick' ? 'quick_check' : 'integrity_check');
    if (complaint !== undefined) return { kind: 'damaged', reason: `${whereIn(file)}${complaint}` };
    const dangling = depth === 'thorough' ? (file.pragma('foreign_key_check') as { readonly table: string }[]) : [];
    if (dangling.length === 0) return { kind: 'whole' };
    const tables = [...new Set(dangling.map(({ table }) => table))].join(', ');
    return { kind: 'damaged', reason: `rows of ${tables} point to rows that are not there` };
  } catch (error) {
    return whyUnread(error);
  } finally {
    file?.close();
  }
}

/** Why a database could not be read: its own fault, or that of the place where it is. */
export function whyUnread(error: unknown): Exclude<PagesLook, { kind: 'whole' }> {
  const { message } = error as { readonly message: string };
  return { kind: isDamaged(error) ? 'damaged' : 'unreadable', reason: message };
}

/** What SQLite finds wrong first; undefined where all is well. Throws what is not the file's own fault. */
function complaintOf(file: Database.Database, check: string): string | undefined {
  try {
    const rows = file.pragma(check) as Record<string, string>[];
    const lines = rows.flatMap((row) => Object.values(row)).flatMap((text) => text.split('\n'));
    return lines.find((line) => line !== 'ok' && !line.startsWith('***'));
  } catch (error) {
    const why = whyUnread(error);
    if (why.kind !== 'damaged') throw error;
    return why.reason;
  }
}

/** Which tables are concerned: each is looked at alone, as SQLite speaks of trees and pages. Nothing where it cannot be said. */
function whereIn(file: Database.Database): string {
  try {
    const names = file.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    const damaged = names.filter((name) => complaintOf(file, `quick_check("${name.replaceAll('"', '""')}")`));
    return damaged.length === 0 ? '' : `in ${damaged.join(', ')}: `;
  } catch {
    return '';
  }
}
