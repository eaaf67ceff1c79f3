import type { Settings } from '../config/settings.ts';
import type { InputError } from '../domain/errors.ts';
import type { Store } from '../warehouse/store.ts';

/** Where the store of a data folder is, and how it is locked and opened. */
export interface Engine {
  /** Undefined if the store has all earlier runs of the folder, or is unreadable. */
  forgottenPast(): Promise<InputError | undefined>;
  /** False before the first run. Throws `InputError` if the store cannot be used. */
  hasRecords(): Promise<boolean>;
  /** Throws `InputError` before the first run. */
  refuseNoRecords(): Promise<void>;
  /** True if this process can only read the records. */
  isSealed(): boolean;
  acquireRunLock(command: string, since: string): Promise<LockReading>;
  /** Opens the records as they are if `readOnly` is true and they cannot be written. Otherwise migrates them. */
  open(opening?: OpenStore): Promise<Store>;
  /** All reads see the same moment. Throws an error for which `isBusy` is true after `waitMs`. */
  openSnapshot(waitMs: number): Promise<Store>;
  /** The returned function says why this process no longer holds its run lock. */
  watchLock(): () => string | undefined;
}

export interface OpenStore {
  readonly readOnly?: boolean | undefined;
  /** True if the command also writes to records that it opens with `readOnly`. Such writes may be lost. */
  readonly writes?: boolean;
  /** The longest wait for another writer. */
  readonly waitMs?: number;
}

export type LockReading =
  | { readonly kind: 'acquired'; release(): Promise<void> | void }
  | { readonly kind: 'held'; readonly holder: string; readonly command: string | undefined };

/** Throws `InputError` if the store lacks earlier runs, because a new run would repeat them. */
export async function refuseForgotten(engine: Engine): Promise<void> {
  const forgotten = await engine.forgottenPast();
  if (forgotten !== undefined) throw forgotten;
}

export async function engineOf(settings: Settings): Promise<Engine> {
  const { sqliteEngine } = await import('./sqlite-engine.ts');
  return sqliteEngine(settings);
}
