import type { Pauses } from '../domain/clock.ts';
import type { RetryPolicy } from '../domain/retry-policy.ts';

/** The time that may be lost on failures, over several operations together. */
export interface Patience {
  readonly policy: RetryPolicy;
  /** Counts the time of a failed try. */
  spend(milliseconds: number): void;
  /** Whether a pause of this length is not more than what is left. */
  allows(milliseconds: number): boolean;
  /** Waits so long and counts it. */
  pause(milliseconds: number): Promise<void>;
}

/** As much time as the policy's `totalMs`. */
export function createPatience(policy: RetryPolicy, pauses: Pauses): Patience {
  let leftMs = policy.totalMs;
  return {
    policy,
    spend(milliseconds) {
      leftMs -= milliseconds;
    },
    allows: (milliseconds) => milliseconds <= leftMs,
    async pause(milliseconds) {
      leftMs -= milliseconds;
      await pauses.pause(milliseconds);
    },
  };
}

/** The pause before the next try: twice the one before, or longer when the service asks for longer. */
export function retryDelayMs(policy: RetryPolicy, attempt: number, retryAfterMs: number | undefined): number {
  return Math.max(policy.firstDelayMs * 2 ** (attempt - 1), retryAfterMs ?? 0);
}
