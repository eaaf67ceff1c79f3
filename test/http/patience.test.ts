import { describe, expect, it } from 'vitest';
import { createRetryBudget, retryDelayMs } from '../../src/services/http/retry.ts';
import { fakePauses } from '../support/fake-time.ts';

const POLICY = { attempts: 3, firstDelayMs: 1000, totalMs: 10_000 };

describe('retryBudget', () => {
  it('is spent by failed attempts and pauses of several operations together', async () => {
    const pauses = fakePauses();
    const retryBudget = createRetryBudget(POLICY, pauses);
    expect([retryBudget.allows(10_000), retryBudget.allows(10_001)]).toEqual([true, false]);
    retryBudget.spend(4000);
    await retryBudget.pause(5000);
    expect([retryBudget.allows(1000), retryBudget.allows(1001)]).toEqual([true, false]);
    retryBudget.spend(3000);
    expect(retryBudget.allows(0)).toBe(false);
    expect(pauses.taken).toEqual([5000]);
  });

  it.each([
    ['is the first delay before the second attempt', 1, undefined, 1000],
    ['doubles', 4, undefined, 8000],
    ['is as long as the service requests', 1, 30_000, 30_000],
    ['is not shortened by the service', 3, 500, 4000],
  ])('a pause %s', (_, attempt, retryAfterMs, expected) => {
    expect(retryDelayMs(POLICY, attempt, retryAfterMs)).toBe(expected);
  });
});
