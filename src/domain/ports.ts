import type { CustomerId } from './ids.ts';

/** The time for account days, run records and the sandbox's market, in milliseconds since 1970. */
export interface Clock {
  now(): number;
}

/** Uses the machine's time, because retries must continue while a test or the sandbox freezes the {@link Clock}. */
export interface Pauses {
  elapsedMs(): number;
  pause(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Fires when the run is asked to stop. After that, no request is retried. */
  readonly stop?: AbortSignal;
}

export const ASKED_TO_STOP = 'the run was asked to stop';

export const NOT_SENT_BY_STOP = 'The run was asked to stop before the request was sent.';

export interface LogFields {
  readonly run?: bigint;
  readonly account?: string;
  readonly job?: string;
}

export interface Log {
  info(line: string): void;
  warn(line: string): void;
  with(fields: LogFields): Log;
}

/** Shows how much data has been read. Costs almost no time and never throws. */
export interface Progress {
  begin(total: { readonly accounts: number; readonly slices: number }): void;
  account(customerId: CustomerId, name: string | undefined, slices: number): void;
  rows(customerId: CustomerId, query: string, rows: number, bytes: number): void;
  /** `ended` is negative if a slice was cut in two, because then more slices remain. */
  slices(customerId: CustomerId, ended: number): void;
  accountEnds(customerId: CustomerId): void;
  end(): void;
}

export const unwatched: Progress = {
  begin: () => undefined,
  account: () => undefined,
  rows: () => undefined,
  slices: () => undefined,
  accountEnds: () => undefined,
  end: () => undefined,
};
