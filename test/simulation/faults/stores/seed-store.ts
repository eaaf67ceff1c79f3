import type Database from 'better-sqlite3';
import type { Settings } from '../../../../src/config/settings.ts';
import type { Clock } from '../../../../src/domain/ports.ts';
import type { RecordStore } from '../../../../src/storage/records/record-store.ts';
import type { FileUser } from '../boundaries.ts';
import type { Forgetting } from '../story.ts';

/** The records of one seed, and what somebody sees who only looks. */
export interface SeedStore {
  /** The address of a database. */
  readonly url: string | undefined;
  /** A connection that belongs to no process; another one after older records were put there. */
  readonly onlooker: Database.Database | undefined;
  rows<Row>(sql: string, ...values: unknown[]): Row[];
  /** Does to the records what no process does. */
  alter(sql: string): void;
  /** None if there is no such table. */
  columns(table: string): string[];
  /** What is published and differs from the records, a sentence each. */
  wrongPublished(): string[];
  /** As the product looks at it, opened once. */
  looking(): Promise<RecordStore>;
  /** Nobody looks from now on. */
  stopLooking(): Promise<void>;
  forget(how: Forgetting): Promise<void>;
  /** Keeps the records as they are now. With files, also while a process works. */
  copy(): Promise<void>;
  /** Puts the last copy there, as if nothing had been since. */
  putBack(): Promise<void>;
  /** Restores the last copy as the documentation says; undefined where there is another way. */
  readonly restore: ((settings: Settings, clock: Clock) => Promise<void>) | undefined;
  /** What a person does then, so that runs go on. */
  recover(settings: Settings, clock: Clock, why: string): Promise<void>;
  /** Watches the processes that `user` names. Answers with what takes it away again. */
  watch(user: () => FileUser | undefined): ClientWatch;
  end(): Promise<void>;
}

export interface ClientWatch {
  /** Settles when the server has answered, if a process waits for it. */
  waiting(): Promise<void> | undefined;
  stop(): void;
}

/** The order and the spelling of rows from both engines. */
export const rowText = (rows: readonly unknown[]): string =>
  JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
