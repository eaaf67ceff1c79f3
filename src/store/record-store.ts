import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { CivilDate } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { StateSchema } from './state-schema.ts';

export type StateDb = Kysely<StateSchema> | Transaction<StateSchema>;

/** The records of pacekeeper, and what only an engine can do with them. */
export interface RecordStore {
  /** For messages: the path of the file, or the address of the database without its password. */
  readonly path: string;
  /** A transaction is alone in writing, unless its access mode is `read only`. */
  readonly db: Kysely<StateSchema>;
  readonly isReadOnly: boolean;
  /** Hands over one row at a time, for results that are too large for a list. Ids are bigints. */
  eachRow(query: CompiledQuery, take: (row: readonly unknown[]) => void): Promise<void>;
  /** Returns a difference of the triggers that protect the audit trail. */
  guardFault(): Promise<SchemaFault | undefined>;
  /** A power failure may undo the last commits. Use this method only for data that can be read again. */
  withoutFlushing<Result>(work: () => Promise<Result>): Promise<Result>;
  releaseMemory(): void;
  readonly forgetting: Forgetting;
  close(): Promise<void>;
}

/** A difference from the schema that the migrations create. */
export interface SchemaFault {
  readonly words: string;
  /** True if somebody may have altered the audit trail. */
  readonly ofRecord: boolean;
}

export interface Forgetting {
  /** Ids of runs that started before `before` (UTC), oldest first. Skips runs whose details are already deleted. */
  runs(before: string, ownRun: bigint): Promise<readonly bigint[]>;
  /** Marks unfinished slices of `extract` as `cut` if a later slice covers the same days. */
  settleUndone(before: string): Promise<void>;
  /** Returns false if `goesOn` stopped the work. While this method runs, no other process may write slices. */
  forget(runId: bigint, dayOf: DayInstantsOf, goesOn: () => boolean): Promise<boolean>;
}

/** Times are in UTC. */
export interface DayInstants {
  readonly begins: string;
  /** From this time on, the previous day is complete. */
  readonly closed: string;
  readonly ends: string;
}

export type DayInstantsOf = (customer: CustomerId, day: CivilDate) => DayInstants | undefined;
