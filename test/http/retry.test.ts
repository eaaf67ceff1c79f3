import { describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../src/domain/connection-settings.ts';
import { ApiError, type RequestOutcome } from '../../src/domain/errors.ts';
import { mayRepeat, withRetries } from '../../src/services/http/retry.ts';
import { fakePauses } from '../support/fake-time.ts';

const POLICY: RetryPolicy = { attempts: 4, firstDelayMs: 5_000, totalMs: 120_000 };

interface FailureFields {
  readonly outcome?: RequestOutcome;
  readonly transient?: boolean;
  readonly retryAfterMs?: number;
}

function failure({ outcome = 'unknown', transient = true, retryAfterMs }: FailureFields = {}): ApiError {
  return new ApiError('It failed.', { status: 'TEST', outcome, transient, retryAfterMs });
}

/** Fails with each failure in turn, the last one for ever; 'ok' in their place succeeds. */
async function run(
  steps: readonly (Error | 'ok')[],
  { policy = {}, request = 'read' }: { policy?: Partial<RetryPolicy>; request?: 'read' | 'write' } = {},
) {
  const pauses = fakePauses();
  const attempts: number[] = [];
  const told: number[] = [];
  const work = withRetries(
    { ...POLICY, ...policy },
    pauses,
    request,
    async (attempt) => {
      attempts.push(attempt);
      const step = steps[attempt - 1] ?? steps.at(-1);
      if (step instanceof Error) throw step;
      return 'done';
    },
    (_, delayMs) => told.push(delayMs),
  );
  const end = await work.catch((error: unknown) => error);
  return { end, attempts: attempts.length, pauses: pauses.taken, told };
}

describe('retrying a failed request', () => {
  const refused = failure({ outcome: 'not_processed' });
  const permanent = failure({ outcome: 'not_processed', transient: false });

  it.each([
    ['a success is not repeated', ['ok'], {}, 1, []],
    ['pauses double', [failure()], {}, 4, [5_000, 10_000, 20_000]],
    ['the first success ends the attempts', [failure(), failure(), 'ok'], {}, 3, [5_000, 10_000]],
    ['one attempt means no retry', [failure()], { policy: { attempts: 1 } }, 1, []],
    [
      'no pause exceeds the retry budget',
      [failure()],
      { policy: { attempts: 20, totalMs: 40_000 } },
      4,
      [5e3, 1e4, 2e4],
    ],
    [
      'pauses may use the retry budget exactly',
      [failure()],
      { policy: { totalMs: 35_000 } },
      4,
      [5_000, 10_000, 20_000],
    ],
    [
      'a retry budget shorter than the first pause allows one attempt',
      [failure()],
      { policy: { totalMs: 4_999 } },
      1,
      [],
    ],
    ['a longer requested pause replaces ours', [failure({ retryAfterMs: 30_000 }), 'ok'], {}, 2, [30_000]],
    ['a shorter requested pause does not replace ours', [failure({ retryAfterMs: 1_000 }), 'ok'], {}, 2, [5_000]],
    ['a pause of hours ends the attempts at once', [failure({ retryAfterMs: 7_200_000 })], {}, 1, []],
    ['a permanent failure ends the attempts', [failure(), permanent], {}, 2, [5_000]],
    ['an error of our own is not retried', [new TypeError('ours')], {}, 1, []],
    ['a write surely not processed is retried', [refused, 'ok'], { request: 'write' as const }, 2, [5_000]],
    ['a write that may have been processed is not retried', [failure()], { request: 'write' as const }, 1, []],
    [
      'a write in doubt after a refusal is not retried',
      [refused, failure()],
      { request: 'write' as const },
      2,
      [5_000],
    ],
  ] as const)('%s', async (_, steps, options, attempts, pauses) => {
    const last = steps[Math.min(attempts, steps.length) - 1];
    expect(await run(steps, options)).toEqual({
      end: last === 'ok' ? 'done' : last,
      attempts,
      pauses,
      told: pauses,
    });
  });

  it('counts the time of attempts against the retry budget', async () => {
    const pauses = fakePauses();
    let tries = 0;
    const work = withRetries({ ...POLICY, totalMs: 60_000 }, pauses, 'read', async () => {
      tries++;
      await pauses.pause(50_000);
      throw failure();
    });
    await expect(work).rejects.toThrow('It failed.');
    expect({ tries, taken: pauses.taken }).toEqual({ tries: 2, taken: [50_000, 5_000, 50_000] });
  });
});

describe('whether a failure allows a retry', () => {
  it.each([
    ['a read that may have been processed', 'read', failure(), true],
    ['a read that was not processed', 'read', failure({ outcome: 'not_processed' }), true],
    ['a read refused permanently', 'read', failure({ transient: false }), false],
    ['a write that may have been processed', 'write', failure(), false],
    ['a write that was not processed', 'write', failure({ outcome: 'not_processed' }), true],
    ['a write refused permanently', 'write', failure({ outcome: 'not_processed', transient: false }), false],
    ['anything but an ApiError', 'read', new Error('ours'), false],
    ['no error at all', 'read', undefined, false],
  ] as const)('%s', (_, request, error, may) => {
    expect(mayRepeat(error, request)).toBe(may);
  });
});
