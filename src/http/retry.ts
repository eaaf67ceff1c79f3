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

export type Patience = ReturnType<typeof createPatience>;

/** The time that may be lost on failures, over several operations together: as much as the policy's `totalMs`. */
export function createPatience(policy: RetryPolicy, pauses: Pauses) {
  let leftMs = policy.totalMs;
  return {
    policy,
    /** Counts the time of a failed try. */
    spend(milliseconds: number): void {
      leftMs -= milliseconds;
    },
    /** Whether a pause of this length is not more than what is left. */
    allows: (milliseconds: number) => milliseconds <= leftMs,
    /** Waits so long and counts it. */
    async pause(milliseconds: number): Promise<void> {
      leftMs -= milliseconds;
      await pauses.pause(milliseconds);
    },
  };
}

/** The pause before the next try: twice the one before, or longer when the service asks for longer. */
export function retryDelayMs(policy: RetryPolicy, attempt: number, retryAfterMs: number | undefined): number {
  return Math.max(policy.firstDelayMs * 2 ** (attempt - 1), retryAfterMs ?? 0);
}

/** No service means longer: more is a slip of its own, or a wish to never be asked again that a person should see. */
const PAUSE_MS_MAX = 24 * 60 * 60 * 1000;

/**
 * The pause that an answer asks for before the next try (`Retry-After`, RFC 9110), milliseconds, at most a day. An HTTP date
 * is measured against the answer's own `Date`, so a clock that is wrong, theirs or ours, changes nothing. Undefined when the
 * answer asks for none, or for one that cannot be read.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  const askedMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : untilDateMs(text, headers.date ?? '');
  return askedMs > 0 ? Math.min(Math.ceil(askedMs), PAUSE_MS_MAX) : undefined;
}

/** NaN when one of the two is no HTTP date. */
function untilDateMs(until: string, now: string): number {
  const isDate = (text: string) => /^[A-Za-z]{3,9}, .*\d:\d\d:\d\d GMT$/.test(text);
  return isDate(until) && isDate(now) ? Date.parse(until) - Date.parse(now) : Number.NaN;
}
