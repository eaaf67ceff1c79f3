import { describe, expect, it } from 'vitest';
import { ASKED_TO_STOP, cameTo, NOT_SENT_BY_STOP } from '../../src/domain/stop.ts';

describe('what a run or an account in one came to', () => {
  it.each([
    ['a failure that a stop is the reason of was stopped', 'failed', `Left, because ${ASKED_TO_STOP}.`, 'stopped'],
    ['however the sentence begins', 'failed', NOT_SENT_BY_STOP, 'stopped'],
    ['whatever else went wrong before', 'failed', `A query failed.\nLeft: ${ASKED_TO_STOP}.`, 'stopped'],
    ['so was an account that was not come to', 'not_reached', ASKED_TO_STOP, 'stopped'],
    ['any other failure is one', 'failed', 'The service was asked to stop.', 'failed'],
    ['without a reason, too', 'failed', undefined, 'failed'],
    ['what was done in spite of it is done', 'done', ASKED_TO_STOP, 'done'],
    ['an account that was read before it is read', 'read', ASKED_TO_STOP, 'read'],
  ])('%s', (_, state, reason, end) => {
    expect(cameTo(state, reason)).toBe(end);
  });
});
