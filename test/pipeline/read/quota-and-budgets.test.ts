import { describe, expect, it } from 'vitest';
import { endState } from '../../../src/views/report/decision-words.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { APPLY, createWorld } from '../../support/world.ts';

const HOUR = JSON.stringify({
  error: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Too many requests.',
    details: [
      {
        errors: [
          {
            errorCode: { quotaError: 'RESOURCE_TEMPORARILY_EXHAUSTED' },
            details: { quotaErrorDetails: { retryDelay: '3600s' } },
          },
        ],
      },
    ],
  },
});

describe('a report whose quota is used up while it reads', () => {
  it('resolves the open change of an earlier run, and reports it', async () => {
    const world = await createWorld({ config: APPLY, queries: TRIM_QUERIES, rules: TRIM_RULES });
    world.fault = ({ kind, validateOnly }) =>
      kind === 'mutate' && validateOnly === false ? { kind: 'reset_after' } : undefined;
    await world.report();
    expect(world.rows('state', 'SELECT state FROM budget_intent')).toEqual([{ state: 'unknown' }]);
    world.fault = ({ query }) =>
      query?.includes('keyword_view')
        ? { kind: 'status', status: 429, contentType: 'application/json', body: HOUR }
        : undefined;
    world.clock.set('2026-11-21T12:00:00Z');
    const before = world.sandbox.requests.length;
    const result = await world.report();
    expect(result.settled.map(endState)).toEqual(['confirmed']);
    expect(result.messages.map(({ state }) => state)).toEqual(['accepted']);
    expect(result.failures).toEqual([
      '4 parts of 4 accounts were left for the next run: the service asks for a pause of 60 minutes (RESOURCE_EXHAUSTED).',
    ]);
    expect(result.rules.find(({ customerId }) => customerId === TRIMMED.customerId)?.notEvaluated).toBe(
      'stats has no complete data for 2026-11-20',
    );
    const streams = world.sandbox.requests.slice(before).filter(({ query }) => query?.includes('keyword_view'));
    expect(streams.length).toBeLessThanOrEqual(4);
  });
});
