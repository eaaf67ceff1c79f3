import type { Settings } from '../../config/settings.ts';
import type { InputError, LockHolder } from '../../domain/errors.ts';
import type { Clock, Log, Pauses } from '../../domain/ports.ts';
import type { WorkersStanding } from '../../domain/workers.ts';
import type { Inbox } from '../../storage/inbox/inbox.ts';
import type { JoinedRun } from '../../storage/records/lock-holder.ts';
import type { ExploredPlace } from '../../storage/warehouse/explored.ts';
import type { Store } from '../../storage/warehouse/store.ts';
import type { StoreCheck } from './store-check.ts';
import { refuseMoved } from './store-file.ts';

/** Locks and opens the store of a data folder. */
export interface Engine {
  /** For messages: what one run at a time uses, and how to choose another. */
  readonly place: string;
  readonly another: string;
  /** The data that Explore reads. Undefined if the settings lack the role for it. */
  readonly explored: ExploredPlace | undefined;
  /** Another text after each change of the files of the folder. Undefined if the records are in a database. */
  filesNow(): string | undefined;
  /** Undefined if the store has all earlier runs of the folder, or is unreadable. */
  forgottenPast(): Promise<InputError | undefined>;
  /** The checks of `doctor`. Changes nothing. */
  checks(): Promise<readonly StoreCheck[]>;
  /** False before the first run. Throws `InputError` if the store cannot be used. */
  hasRecords(): Promise<boolean>;
  /** Throws `InputError` before the first run. */
  refuseNoRecords(): Promise<void>;
  /** True if this process can only read the records. */
  isSealed(): boolean;
  acquireRunLock(command: string, since: string): Promise<LockReading>;
  /** Goes on without runs that only the data folder knows. Undefined if `adopt` rebuilds the records from files instead. */
  readonly adopt: ((person: Adopting, nowMs: number) => Promise<AdoptedRuns | undefined>) | undefined;
  /**
   * Upgrades older tables of a database under the run lock. Throws `BusyError` if another process holds it, and `InputError`
   * for a database that lacks earlier runs, unless `isAdopting`.
   */
  upgrade(deps: FolderDeps, isAdopting?: boolean): Promise<void>;
  /**
   * A file is migrated, unless `readOnly` is true and it cannot be written. Throws `InputError` for older tables of a
   * database.
   */
  open(opening?: OpenStore): Promise<Store>;
  /** All reads see the same moment. Throws an error for which `isBusy` is true after `waitMs`. */
  openSnapshot(waitMs: number): Promise<Store>;
  /** False if no webhook ever arrived. */
  hasInbox(): boolean;
  /** Throws `InputError` if the inbox cannot be used. */
  openInbox(clock: Clock): Promise<Inbox>;
  /** Leaves no trace of deleted texts in the records and the inbox. Nobody may have a transaction open. */
  overwriteDeleted(): Promise<void>;
  /** True if one process has held the run lock since `instant` (UTC) or longer, and if that is unknown. */
  isLockedSince(instant: string): Promise<boolean>;
  /** False if the schedule of another data folder has this due time. */
  claimTick(job: string, dueAt: string): Promise<boolean>;
  /** Undefined if only one process can work for a run. */
  readonly cluster: Cluster | undefined;
  /** The returned function says why this process no longer holds its run lock. For a worker, it throws. */
  watchLock(state: Store): () => Promise<string | undefined>;
}

interface Adopting {
  readonly by: string;
  readonly why: string | undefined;
}

export interface AdoptedRuns {
  readonly lastRun: bigint;
  /** No budget changes before this time (UTC). */
  readonly frozenUntil: string;
  /** True if a person must also unfreeze budgets. */
  readonly isFrozen: boolean;
}

/** A database whose runs several processes can share. */
export interface Cluster {
  readonly url: string;
  /** How far this machine's clock is ahead of the database's at least, in milliseconds. Negative: behind. */
  aheadMs(): Promise<number>;
  /** True if a worker has ever used the database. */
  hasTaskQueue(): Promise<boolean>;
  /** Creates the schema of the tasks if it is missing. */
  prepareTaskQueue(): Promise<void>;
  /** Undefined if no worker has used the database. */
  workers(): Promise<WorkersStanding | undefined>;
  /** The token of the run lock that this process holds. */
  token(): bigint | undefined;
  /** From now on, the store writes only while this run goes on. */
  join(run: JoinedRun): void;
}

export interface OpenStore {
  readonly readOnly?: boolean | undefined;
  /** True if the command also writes to records that it opens with `readOnly`. Such writes may be lost. */
  readonly writes?: boolean;
  /** The longest wait for another writer. */
  readonly waitMs?: number;
  /** Opens older tables of a database, too. */
  readonly asTheyAre?: boolean;
  /** The time at which a restored database is frozen. Undefined for a command that only looks. */
  readonly nowMs?: number;
}

/** For a command that waits until it may use a data folder. */
export interface FolderDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly pauses?: Pauses;
  readonly stop?: AbortSignal;
  readonly waitMs?: number | undefined;
  readonly followsRun?: boolean | undefined;
}

export type LockReading =
  | { readonly kind: 'acquired'; release(): Promise<void> | void }
  | ({ readonly kind: 'held' } & LockHolder);

/** Throws `InputError` if the store lacks earlier runs, because a new run would repeat them. */
export async function refuseForgotten(engine: Engine): Promise<void> {
  const forgotten = await engine.forgottenPast();
  if (forgotten !== undefined) throw forgotten;
}

/** Loads only the engine that the settings name. Throws `InputError` if the folder belongs to a database. */
export async function engineOf(settings: Settings): Promise<Engine> {
  const { url } = settings.store;
  if (url !== undefined) {
    const { postgresEngine } = await import('./postgres-engine.ts');
    return postgresEngine(settings, url);
  }
  refuseMoved(settings);
  const { sqliteEngine } = await import('./sqlite-engine.ts');
  return sqliteEngine(settings);
}
