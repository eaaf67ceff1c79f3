/** Gives milliseconds since 1970. This time can differ from the machine's time, for example in tests. */
export interface Clock {
  now(): number;
}

/** Uses the machine's elapsed time, because retries must also end while a {@link Clock} of a test stands still. */
export interface Pauses {
  elapsedMs(): number;
  pause(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Aborted when the run must stop. Then no request is retried. */
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
  /** A step of a run, only for a full log: with `--verbose`, as JSON, or for the schedule. */
  step(line: string): void;
  warn(line: string): void;
  with(fields: LogFields): Log;
}

/** Shows how much data has been read. Never throws. */
export interface Progress {
  begin(total: { readonly accounts: number; readonly slices: number }): void;
  rows(rows: number): void;
  /** `ended` is negative if a slice was cut in two, because then more slices remain. */
  slices(ended: number): void;
  accountEnds(): void;
  end(): void;
}

export const unwatched: Progress = {
  begin: () => undefined,
  rows: () => undefined,
  slices: () => undefined,
  accountEnds: () => undefined,
  end: () => undefined,
};
