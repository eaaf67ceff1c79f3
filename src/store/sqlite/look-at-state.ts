import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { MIGRATION_NAMES } from './open-state.ts';
import { lookInto } from './open-to-look.ts';
import { schemaFault } from './schema-fault.ts';
import { isDamaged } from './unusable-database.ts';

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
  return lookInto(path, versionIn, whyUnread);
}

function versionIn(file: Database.Database): StateLook {
  const done = isBegun(file)
    ? file.prepare<[], string>('SELECT name FROM kysely_migration ORDER BY name').pluck().all()
    : [];
  const version = done.at(-1)?.slice(0, 4) ?? NOTHING_YET;
  if (done.some((name) => !MIGRATION_NAMES.includes(name))) return { kind: 'newer', version };
  // What it must hold is judged when it is brought up to date.
  if (done.length < MIGRATION_NAMES.length) return { kind: 'older', version };
  const fault = schemaFault({ connection: file });
  if (fault === undefined) return { kind: 'sound', version };
  return { kind: 'damaged', reason: fault.words, ofRecord: fault.ofRecord };
}

/** Whether nothing was made in the file yet, of which no page but the first is looked at. Writes nothing. */
export function holdsNothing(path: string): boolean {
  if (statSync(path).size === 0) return true;
  // Who opens it says what is wrong with it.
  return lookInto(
    path,
    (file) => !isBegun(file),
    () => false,
  );
}

function isBegun(file: Database.Database): boolean {
  return file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'").get() !== undefined;
}

/** What the pages of a database file are. */
type PagesLook =
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
  return lookInto(path, (file) => pagesOf(file, depth), whyUnread);
}

function pagesOf(file: Database.Database, depth: 'quick' | 'thorough'): PagesLook {
  const complaint = complaintOf(file, depth === 'quick' ? 'quick_check' : 'integrity_check');
  if (complaint !== undefined) return { kind: 'damaged', reason: `${whereIn(file)}${complaint}` };
  const dangling = depth === 'thorough' ? (file.pragma('foreign_key_check') as { readonly table: string }[]) : [];
  if (dangling.length === 0) return { kind: 'whole' };
  const tables = [...new Set(dangling.map(({ table }) => table))].join(', ');
  return { kind: 'damaged', reason: `rows of ${tables} point to rows that are not there` };
}

/** Why a database could not be read: its own fault, or that of the place where it is. */
function whyUnread(error: unknown): Exclude<PagesLook, { kind: 'whole' }> {
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
