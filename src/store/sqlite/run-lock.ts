import { closeSync, fchmodSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parseJson } from '../../domain/parse-json.ts';
import { unusableDatabase } from './unusable-database.ts';

export type LockReading =
  | { readonly kind: 'acquired'; release(): void }
  | { readonly kind: 'held'; readonly holder: string; readonly command: string | undefined };

/**
 * Takes the data directory for this process. The lock is SQLite's own on the small file `lock.sqlite`, which the
 * operating system releases when the process ends in whatever way. Two transactions make it: the first writes down who
 * we are, where others can read it; the second is only ever held open. Throws `InputError` for an unusable folder.
 */
export function acquireRunLock(dataDir: string, command: string, since: string): LockReading {
  const path = join(dataDir, 'lock.sqlite');
  let file: Database.Database | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
    makePrivate(path);
    file = new Database(path, { timeout: 200 });
    file.exec('CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY CHECK (id = 1), words TEXT NOT NULL)');
    const holder: Holder = { command, process: process.pid, host: hostname(), since };
    const write = 'INSERT INTO holder VALUES (1, ?) ON CONFLICT DO UPDATE SET words = excluded.words';
    file.prepare(write).run(JSON.stringify(holder));
    file.exec('BEGIN IMMEDIATE');
    const held = file;
    return { kind: 'acquired', release: () => held.close() };
  } catch (error) {
    const busy = (error as { code?: unknown }).code === 'SQLITE_BUSY';
    const holder = busy ? file?.prepare('SELECT words FROM holder').pluck().get() : undefined;
    file?.close();
    if (!busy) throw unusableDatabase(path, error, LOST);
    return { kind: 'held', ...heldBy(holder) };
  }
}

/** What the file says of its holder, as JSON. */
interface Holder {
  readonly command: string;
  readonly process: number;
  readonly host: string;
  readonly since: string;
}

/** An earlier version writes a sentence. */
function heldBy(words: unknown): Omit<Extract<LockReading, { readonly kind: 'held' }>, 'kind'> {
  if (typeof words !== 'string') return { holder: 'another process', command: undefined };
  const found = parseJson(words);
  if (typeof found !== 'object' || found === null) return { holder: words, command: undefined };
  const { command, process: id, host, since } = found as Holder;
  return { holder: `${command}, process ${id} on ${host}, since ${since}`, command };
}

const LOST = 'Remove it: it holds only who uses the folder, and the next command makes it anew.';

/** For its owner only, also where it is there already: whoever may read it could hold a lock on it, and keep every run waiting. */
function makePrivate(path: string): void {
  const descriptor = openSync(path, 'a', 0o600);
  try {
    if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
  } catch (error) {
    // Of another user, who lets this one write to it: doctor speaks of it.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  } finally {
    closeSync(descriptor);
  }
}
