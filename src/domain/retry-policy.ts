/** How often a failed request is tried again: `ads.retry` and `messages.retry` of the settings. */
export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly attempts: number;
  /** Pause after the first failure, milliseconds; each further pause is twice the one before. */
  readonly firstDelayMs: number;
  /** Bound on tries and pauses together, milliseconds. */
  readonly totalMs: number;
}
