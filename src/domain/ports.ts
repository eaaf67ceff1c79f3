import type { CustomerId } from './ids.ts';

/** The time the product believes it is: account days, run records, the sandbox's market. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00Z. */
  now(): number;
}

/** Pauses between retries. The machine's time, not the product's: a frozen {@link Clock} must not freeze a retry. */
export interface Pauses {
  /** Milliseconds that only ever grow. */
  elapsedMs(): number;
  /** Over early when the signal is given. */
  pause(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Given when the run was asked to stop: then nothing is tried again, and no pause is worth waiting for. */
  readonly stop?: AbortSignal;
}

/** Why something was not done, as a part of a sentence. */
export const ASKED_TO_STOP = 'the run was asked to stop';

/** The same of one thing, as the record of it has it. */
export const NOT_SENT_BY_STOP = 'The run was asked to stop before it was sent.';

/** What a line is about; a structured log has each as a field of its own. */
export interface LogFields {
  /** The number of the recorded run. */
  readonly run?: bigint;
  /** The account's id. */
  readonly account?: string;
  /** The name of the scheduled job. */
  readonly job?: string;
}

/** Progress and warnings, one line each; goes to stderr. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
  /** The same log, whose lines are about this besides. */
  with(fields: LogFields): Log;
}

/** Told how far reading has come, so that somebody who watches sees it. Costs next to nothing; never fails. */
export interface Progress {
  /** Reading begins: so many accounts, with so many slices together. */
  begin(total: { readonly accounts: number; readonly slices: number }): void;
  /** An account is being read from now on. */
  account(customerId: CustomerId, name: string | undefined, slices: number): void;
  /** Rows of it were loaded, and so many bytes of the answer read. */
  rows(customerId: CustomerId, query: string, rows: number, bytes: number): void;
  /** Some of its slices came to their end, or, below zero, there are more than was thought: one was cut in two. */
  slices(customerId: CustomerId, ended: number): void;
  /** All of it was read that can be. */
  accountEnds(customerId: CustomerId): void;
  /** Reading is over. */
  end(): void;
}

/** Nobody watches. */
export const unwatched: Progress = {
  begin: () => undefined,
  account: () => undefined,
  rows: () => undefined,
  slices: () => undefined,
  accountEnds: () => undefined,
  end: () => undefined,
};
