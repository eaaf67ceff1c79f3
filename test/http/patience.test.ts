import { describe, expect, it } from 'vitest';
import { createPatience, retryDelayMs } from '../../src/http/retry.ts';
import { fakePauses } from '../support/fake-time.ts';

const POLICY = { attempts: 3, firstDelayMs: 1000, totalMs: 10_000 };

describe('patience', () => {
  it('is spent by failed tries and by pauses, over several operations together', async () => {
    const pauses = fakePauses();
    const patience = createPatience(POLICY, pauses);
    expect([patience.allows(10_000), patience.allows(10_001)]).toEqual([true, false]);
    patience.spend(4000);
    await patience.pause(5000);
    expect([patience.allows(1000), patience.allows(1001)]).toEqual([true, false]);
    patience.spend(3000);
    expect(patience.allows(0)).toBe(false);
    expect(pauses.taken).toEqual([5000]);
  });

  it.each([
    ['is the first one before the second try', 1, undefined, 1000],
    ['doubles', 4, undefined, 8000],
    ['is as long as the service asks for', 1, 30_000, 30_000],
    ['is not shortened by the service', 3, 500, 4000],
  ])('a pause %s', (_, attempt, retryAfterMs, expected) => {
    expect(retryDelayMs(POLICY, attempt, retryAfterMs)).toBe(expected);
  });
});
