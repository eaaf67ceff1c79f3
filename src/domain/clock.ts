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
