import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy } from '../is-busy.ts';
import { withDatabase } from './open-database.ts';
import { migrationsIn } from './open-state.ts';
import { lookInto } from './open-to-look.ts';
import type { Connected } from './prepared.ts';

export interface Landmarks {
  readonly newestRun: { readonly id: bigint; readonly startedAt: string } | undefined;
  readonly newestEvent: { readonly id: bigint; readonly hash: string } | undefined;
}

export type StatePast =
  | { readonly kind: 'missing' | 'empty' | 'no_run' }
  | { readonly kind: 'known'; readonly lacks: Lacking | undefined; readonly lastRun: bigint }
  | { readonly kind: 'unreadable' };

export interface Lacking {
  readonly what: 'event' | 'run';
  readonly id: bigint;
}

/** Throws if another program has locked the file. */
export function statePast(path: string, landmarks: Landmarks | undefined): StatePast {
  if (!existsSync(path)) return { kind: 'missing' };
  try {
    return withDatabase(new Database(path, { readonly: true, fileMustExist: true, timeout: 1000 }), (file) => {
      file.defaultSafeIntegers(true);
      if (migrationsIn(file) === undefined) return { kind: 'empty' };
      const hasRow = (table: string) => file.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
      if (!hasRow('run') && !(hasEvents(file) && hasRow('budget_event'))) return { kind: 'no_run' };
      const lacks = landmarks && lackingIn({ connection: file }, landmarks);
      return { kind: 'known', lacks, lastRun: lastRunOf(file) };
    });
  } catch (error) {
    // A locked file may be readable later, so it does not count as unreadable.
    if (isBusy(error)) throw error;
    return { kind: 'unreadable' };
  }
}

export function landmarksOf({ connection: state }: Connected): Landmarks {
  return {
    newestRun: state
      .prepare<[], { id: bigint; startedAt: string }>(
        'SELECT id, started_at AS "startedAt" FROM run ORDER BY id DESC LIMIT 1',
      )
      .get(),
    newestEvent: state
      .prepare<[], { id: bigint; hash: string }>('SELECT id, hash FROM budget_event ORDER BY id DESC LIMIT 1')
      .get(),
  };
}

/** Returns the event or run of `landmarks` that the state file lacks. Undefined if the file has both. */
export function lackingIn(
  { connection: state }: Connected,
  { newestEvent, newestRun }: Landmarks,
): Lacking | undefined {
  if (newestEvent !== undefined) {
    const { id, hash } = newestEvent;
    const sql = 'SELECT 1 FROM budget_event WHERE id = ? AND hash = ?';
    if (!hasEvents(state) || state.prepare(sql).get(id, hash) === undefined) return { what: 'event', id };
  }
  if (newestRun !== undefined) {
    const { id, startedAt } = newestRun;
    const sql = 'SELECT 1 FROM run WHERE id = ? AND started_at = ?';
    if (state.prepare(sql).get(id, startedAt) === undefined) return { what: 'run', id };
  }
  return undefined;
}

function lastRunOf(state: Database.Database): bigint {
  const sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'run'";
  return BigInt(state.prepare(sql).pluck().get() as bigint | number);
}

/** The next run gets an id above `last`. */
export function countRunsOnFrom({ connection: state }: Connected, last: bigint): void {
  if (lastRunOf(state) >= last) return;
  state.prepare("DELETE FROM sqlite_sequence WHERE name = 'run'").run();
  state.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('run', ?)").run(last);
}

function hasEvents(state: Database.Database): boolean {
  return state.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'budget_event'").get() !== undefined;
}

/** Also reads files of other versions. Returns undefined if the file is unreadable. */
export function countEvents(path: string): number | undefined {
  const count = (file: Database.Database) =>
    hasEvents(file) ? file.prepare<[], number>('SELECT count(*) FROM budget_event').pluck().get() : 0;
  return lookInto(path, count, () => undefined);
}

/** Returns an empty list if the file is missing or unreadable. */
export function knownCurrencies(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const sql = 'SELECT DISTINCT currency FROM account WHERE currency IS NOT NULL ORDER BY currency';
  return lookInto<string[], string[]>(
    path,
    (file) => file.prepare<[], string>(sql).pluck().all(),
    () => [],
  );
}
