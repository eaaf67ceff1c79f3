import type { RetryPolicy } from '../domain/connection-settings.ts';
import { ApiError } from '../domain/errors.ts';
import type { Log, Pauses } from '../domain/ports.ts';

/** Whether a failed request may be repeated: a read whenever it may help, a write only if it surely was not processed. */
export function mayRepeat(error: unknown, request: 'read' | 'write'): error is ApiError {
  if (!(error instanceof ApiError) || !error.transient) return false;
  return request === 'read' || error.outcome === 'not_processed';
}

/**
 * Runs `operation` until it succeeds, fails for good, or the policy is used up; throws the last failure. A pause the
 * service asks for replaces a shorter one of ours; one that would pass the total bound ends the tries, and so does being
 * asked to stop.
 */
export async function withRetries<Result>(
  policy: RetryPolicy,
  pauses: Pauses,
  request: 'read' | 'write',
  operation: (attempt: number) => Promise<Result>,
  onRetry: (error: ApiError, delayMs: number) => void = () => undefined,
): Promise<Result> {
  const patience = createPatience(policy, pauses);
  for (let attempt = 1; ; attempt++) {
    const startedMs = pauses.elapsedMs();
    try {
      return await operation(attempt);
    } catch (error) {
      if (!mayRepeat(error, request) || attempt >= policy.attempts || pauses.stop?.aborted) throw error;
      patience.spend(pauses.elapsedMs() - startedMs);
      const delayMs = retryDelayMs(policy, attempt, error.retryAfterMs);
      if (!patience.allows(delayMs)) throw error;
      onRetry(error, delayMs);
      await patience.pause(delayMs);
      if (pauses.stop?.aborted) throw error;
    }
  }
}

/** As {@link withRetries}, each further try told, for a person waits meanwhile; `what` stands before the failure. */
export function withRetriesTold<Result>(
  connection: { readonly retry: RetryPolicy; readonly pauses: Pauses; readonly log?: Log | undefined },
  request: 'read' | 'write',
  what: string,
  operation: () => Promise<Result>,
): Promise<Result> {
  return withRetries(connection.retry, connection.pauses, request, operation, (error, delayMs) =>
    connection.log?.warn(`${what}: ${error.message} Trying again in ${delayMs / 1000} s.`),
  );
}

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
