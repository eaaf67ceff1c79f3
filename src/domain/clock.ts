/** The time the product believes it is: account days, run records, the sandbox's market. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00Z. */
  now(): number;
}

/** Pauses between retries. The machine's time, not the product's: a frozen {@link Clock} must not freeze a retry. */
export interface Pauses {
  /** Milliseconds that only ever grow. */
  elapsedMs(): number;
  pause(milliseconds: number): Promise<void>;
}
