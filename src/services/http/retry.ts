import type { RetryPolicy } from '../../domain/connection-settings.ts';
import { ApiError } from '../../domain/errors.ts';
import type { Log, Pauses } from '../../domain/ports.ts';
import type { HttpClient } from './http-client.ts';
import type { Redact } from './redact.ts';

export interface Connection {
  readonly http: HttpClient;
  readonly pauses: Pauses;
  readonly redact: Redact;
  readonly log?: Log | undefined;
  readonly retry: RetryPolicy;
}

/** A read may repeat after any temporary failure, a write only if the service certainly did nothing. */
export function mayRepeat(error: unknown, request: 'read' | 'write'): error is ApiError {
  if (!(error instanceof ApiError) || !error.transient) return false;
  return request === 'read' || error.outcome === 'not_processed';
}

/** Throws the last failure if the next pause would exceed the retry budget. */
export async function withRetries<Result>(
  policy: RetryPolicy,
  pauses: Pauses,
  request: 'read' | 'write',
  operation: (attempt: number) => Promise<Result>,
  onRetry: (error: ApiError, delayMs: number) => void = () => undefined,
): Promise<Result> {
  const retryBudget = createRetryBudget(policy, pauses);
  for (let attempt = 1; ; attempt++) {
    const startedMs = pauses.elapsedMs();
    try {
      return await operation(attempt);
    } catch (error) {
      if (!mayRepeat(error, request) || attempt >= policy.attempts || pauses.stop?.aborted) throw error;
      retryBudget.spend(pauses.elapsedMs() - startedMs);
      const delayMs = retryDelayMs(policy, attempt, error.retryAfterMs);
      if (!retryBudget.allows(delayMs)) throw error;
      onRetry(error, delayMs);
      await retryBudget.pause(delayMs);
      if (pauses.stop?.aborted) throw error;
    }
  }
}

export function withLoggedRetries<Result>(
  connection: Pick<Connection, 'retry' | 'pauses' | 'log'>,
  request: 'read' | 'write',
  what: string,
  operation: () => Promise<Result>,
): Promise<Result> {
  return withRetries(connection.retry, connection.pauses, request, operation, (error, delayMs) =>
    connection.log?.warn(`${what}: ${error.message} Trying again in ${delayMs / 1000} s.`),
  );
}

export type RetryBudget = ReturnType<typeof createRetryBudget>;

export function createRetryBudget(policy: RetryPolicy, pauses: Pauses) {
  let leftMs = policy.totalMs;
  return {
    policy,
    spend(milliseconds: number): void {
      leftMs -= milliseconds;
    },
    allows: (milliseconds: number) => milliseconds <= leftMs,
    async pause(milliseconds: number): Promise<void> {
      leftMs -= milliseconds;
      await pauses.pause(milliseconds);
    },
  };
}

export function retryDelayMs(policy: RetryPolicy, attempt: number, retryAfterMs: number | undefined): number {
  return Math.max(policy.firstDelayMs * 2 ** (attempt - 1), retryAfterMs ?? 0);
}

/** A longer pause is a mistake of the service, or needs a person. */
const PAUSE_MS_MAX = 24 * 60 * 60 * 1000;

/** Reads `Retry-After` (RFC 9110). Compares dates with the answer's `Date`, because local clocks can be wrong. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  const askedMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : untilDateMs(text, headers.date ?? '');
  return askedMs > 0 ? Math.min(Math.ceil(askedMs), PAUSE_MS_MAX) : undefined;
}

function untilDateMs(until: string, now: string): number {
  const isDate = (text: string) => /^[A-Za-z]{3,9}, .*\d:\d\d:\d\d GMT$/.test(text);
  return isDate(until) && isDate(now) ? Date.parse(until) - Date.parse(now) : Number.NaN;
}
