import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { holdsNothing } from './look-at-state.ts';
import { lookInto } from './open-to-look.ts';
import type { Connected } from './prepared.ts';
import { isBusy } from './unusable-database.ts';

/** The newest of what another file of the same history says was done. */
export interface Landmarks {
  readonly newestRun: { readonly id: bigint; readonly startedAt: string } | undefined;
  readonly newestEvent: { readonly id: bigint; readonly hash: string } | undefined;
}

/** What a state file knows of the past. */
export type StatePast =
  /** Nothing: there is no file, nothing was made in it, or no run and no event is in it. */
  | { readonly kind: 'missing' | 'empty' | 'no_run' }
  | { readonly kind: 'known'; readonly lacks: Lacking | undefined; readonly lastRun: bigint }
  /** Whoever opens it says why. */
  | { readonly kind: 'unreadable' };

/** The event or the run that a state file does not have, or has otherwise. */
export interface Lacking {
  readonly what: 'event' | 'run';
  readonly id: bigint;
}

/** Looks at the file beside whoever works with it, and at whether the landmarks are in it. Throws where another program holds it. */
export function statePast(path: string, landmarks: Landmarks | undefined): StatePast {
  if (!existsSync(path)) return { kind: 'missing' };
  if (holdsNothing(path)) return { kind: 'empty' };
  let file: Database.Database | undefined;
  try {
    file = new Database(path, { readonly: true, fileMustExist: true, timeout: 1000 });
    file.defaultSafeIntegers(true);
    const hasRow = (table: string) => file?.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
    if (!hasRow('run') && !(hasEvents(file) && hasRow('budget_event'))) return { kind: 'no_run' };
    return { kind: 'known', lacks: landmarks && lackingIn({ connection: file }, landmarks), lastRun: lastRunOf(file) };
  } catch (error) {
    // A file that is busy may well know.
    if (isBusy(error)) throw error;
    return { kind: 'unreadable' };
  } finally {
    file?.close();
  }
}

/** Which landmark a state file does not have. Undefined where it has both: the other file is of its history. */
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

/** The highest number that a run was ever given, 0 before the first. */
function lastRunOf(state: Database.Database): bigint {
  const sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'run'";
  return BigInt(state.prepare(sql).pluck().get() as bigint | number);
}

/** Lets the next run have a higher number than this one. */
export function countRunsOnFrom({ connection: state }: Connected, last: bigint): void {
  if (lastRunOf(state) >= last) return;
  state.prepare("DELETE FROM sqlite_sequence WHERE name = 'run'").run();
  state.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('run', ?)").run(last);
}

/** Files of before the third migration have none. */
function hasEvents(state: Database.Database): boolean {
  return state.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'budget_event'").get() !== undefined;
}

/** How many events of the record a file of whatever version holds; undefined where it is no database, or damaged. */
export function countEvents(path: string): number | undefined {
  const count = (file: Database.Database) =>
    hasEvents(file) ? file.prepare<[], number>('SELECT count(*) FROM budget_event').pluck().get() : 0;
  return lookInto(path, count, () => undefined);
}

/** The currencies of the accounts that earlier runs have met; none where the file cannot say, which the run that needs it tells. */
export function knownCurrencies(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const sql = 'SELECT DISTINCT currency FROM account WHERE currency IS NOT NULL ORDER BY currency';
  return lookInto<string[], string[]>(
    path,
    (file) => file.prepare<[], string>(sql).pluck().all(),
    () => [],
  );
}
