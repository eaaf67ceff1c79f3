import Database from 'better-sqlite3';
import { MIGRATION_NAMES } from './open-state.ts';

/** What a state file is, seen without touching it. */
export type StateLook =
  | { readonly kind: 'sound'; readonly version: string }
  /** The next run brings it up to date. */
  | { readonly kind: 'older'; readonly version: string }
  | { readonly kind: 'newer'; readonly version: string }
  | { readonly kind: 'damaged' | 'unreadable'; readonly reason: string };

/** Looks at the file beside whoever works with it: by which version it was written, and whether it is whole. Writes nothing. */
export function lookAtState(path: string): StateLook {
  let file: Database.Database | undefined;
  try {
    file = new Database(path, { readonly: true, timeout: 1000 });
    const [first, ...more] = file.pragma('quick_check') as { readonly quick_check: string }[];
    if (first?.quick_check !== 'ok' || more.length > 0) {
      return { kind: 'damaged', reason: first?.quick_check.split('\n')[0] ?? 'nothing is said' };
    }
    const known = file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'").get() !== undefined;
    const done = known ? file.prepare<[], string>('SELECT name FROM kysely_migration ORDER BY name').pluck().all() : [];
    const version = done.at(-1)?.slice(0, 4) ?? '0000';
    if (done.some((name) => !MIGRATION_NAMES.includes(name))) return { kind: 'newer', version };
    return { kind: done.length < MIGRATION_NAMES.length ? 'older' : 'sound', version };
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    const damaged = code === 'SQLITE_NOTADB' || (typeof code === 'string' && code.startsWith('SQLITE_CORRUPT'));
    return { kind: damaged ? 'damaged' : 'unreadable', reason: message };
  } finally {
    file?.close();
  }
}
