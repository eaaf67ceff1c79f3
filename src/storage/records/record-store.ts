import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { StateSchema } from './state-schema.ts';

export type StateDb = Kysely<StateSchema> | Transaction<StateSchema>;

/** The records of pacekeeper, and what only an engine can do with them. */
export interface RecordStore {
  /** For messages: the path of the file, or the address of the database without its password. */
  readonly path: string;
  /** A transaction is alone in writing, unless its access mode is `read only`. */
  readonly db: Kysely<StateSchema>;
  readonly isReadOnly: boolean;
  /** The server of records that several data folders share. Undefined for the file of one folder. */
  readonly server: RecordServer | undefined;
  /** Hands over one row at a time, for results that are too large for a list. Ids are bigints. Waits for `take`. */
  eachRow(
    query: Pick<CompiledQuery, 'sql' | 'parameters'>,
    take: (row: readonly unknown[]) => Promise<void> | void,
  ): Promise<void>;
  /** Returns a difference of the triggers that protect the audit trail. */
  guardFault(): Promise<SchemaFault | undefined>;
  /** A power failure may undo the last commits. Use this method only for data that can be read again. */
  withoutFlushing<Result>(work: () => Promise<Result>): Promise<Result>;
  releaseMemory(): void;
  /** A transaction that deletes only rows without references. The engine need not check that. */
  deleting(work: (trx: StateDb) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface RecordServer {
  /** How far this machine's clock is ahead of the server's at least, in milliseconds. Negative: behind. */
  aheadMs(): Promise<number>;
}

/** A difference from the schema that the migrations create. */
export interface SchemaFault {
  readonly words: string;
  /** True if somebody may have altered the audit trail. */
  readonly ofRecord: boolean;
}
