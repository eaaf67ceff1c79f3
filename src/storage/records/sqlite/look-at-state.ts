import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { MIGRATION_NAMES } from '../migrations.ts';
import { migrationsIn } from './open-state.ts';
import { lookInto } from './open-to-look.ts';
import { schemaFault } from './schema-fault.ts';
import { isDamaged } from './unusable-database.ts';

export type StateLook =
  | { readonly kind: 'sound' | 'older' | 'newer'; readonly version: string }
  /** `ofRecord` is true if somebody may have altered the audit trail. */
  | { readonly kind: 'damaged'; readonly reason: string; readonly ofRecord?: boolean }
  | Exclude<PagesLook, { kind: 'whole' | 'damaged' }>;

/** The version of a file without tables of pacekeeper. */
export const NOTHING_YET = '0000';

/** Only reads, so other processes may use the file at the same time. */
export function lookAtState(path: string, depth: 'quick' | 'thorough' = 'quick'): StateLook {
  const pages = lookAtPages(path, depth);
  if (pages.kind !== 'whole') return pages;
  return lookInto(path, versionIn, whyUnread);
}

function versionIn(file: Database.Database): StateLook {
  const done = migrationsIn(file) ?? [];
  const version = done.at(-1)?.slice(0, 4) ?? NOTHING_YET;
  if (done.some((name) => !MIGRATION_NAMES.includes(name))) return { kind: 'newer', version };
  // An older file gets its schema check after the migration.
  if (done.length < MIGRATION_NAMES.length) return { kind: 'older', version };
  const fault = schemaFault({ connection: file });
  if (fault === undefined) return { kind: 'sound', version };
  return { kind: 'damaged', reason: fault.words, ofRecord: fault.ofRecord };
}

/** True if the file contains no table of pacekeeper. */
export function holdsNothing(path: string): boolean {
  if (statSync(path).size === 0) return true;
  // An unreadable file counts as a file with content.
  return lookInto(
    path,
    (file) => migrationsIn(file) === undefined,
    () => false,
  );
}

type PagesLook =
  | { readonly kind: 'whole' }
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** `thorough` also checks indexes and references, and is several times slower. */
export function lookAtPages(path: string, depth: 'quick' | 'thorough' = 'quick'): PagesLook {
  return lookInto(path, (file) => pagesOf(file, depth), whyUnread);
}

function pagesOf(file: Database.Database, depth: 'quick' | 'thorough'): PagesLook {
  const complaint = complaintOf(file, depth === 'quick' ? 'quick_check' : 'integrity_check');
  if (complaint !== undefined) return { kind: 'damaged', reason: `${whereIn(file)}${complaint}` };
  const dangling = depth === 'thorough' ? (file.pragma('foreign_key_check') as { readonly table: string }[]) : [];
  if (dangling.length === 0) return { kind: 'whole' };
  const tables = [...new Set(dangling.map(({ table }) => table))].join(', ');
  return { kind: 'damaged', reason: `rows of ${tables} refer to missing rows` };
}

function whyUnread(error: unknown): Exclude<PagesLook, { kind: 'whole' }> {
  const { message } = error as { readonly message: string };
  return { kind: isDamaged(error) ? 'damaged' : 'unreadable', reason: message };
}

/** Returns the first problem. Throws if the check fails for another reason than damage. */
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

/** Names the damaged tables, because SQLite's messages contain only page numbers. */
function whereIn(file: Database.Database): string {
  try {
    const names = file.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    const damaged = names.filter((name) => complaintOf(file, `quick_check("${name.replaceAll('"', '""')}")`));
    return damaged.length === 0 ? '' : `in ${damaged.join(', ')}: `;
  } catch {
    return '';
  }
}
