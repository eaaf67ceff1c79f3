import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/domain/errors.ts';
import { acceptanceFacts, conclude } from '../../src/engine/budgets/carry-out.ts';
import type { Entry } from '../../src/engine/budgets/check-intents.ts';
import { moveOn } from '../../src/engine/budgets/move-on.ts';
import type { Intent } from '../../src/storage/records/budgets/intent-table.ts';
import { fakeClock } from '../support/fake-time.ts';
import { freshStore, intentAfter, someIntent } from '../support/state.ts';

const intent: Intent = {
  ...someIntent(),
  id: 12n,
  runId: undefined,
  alertText: undefined,
  alertSeverity: undefined,
  state: 'sending',
  code: undefined,
  outcome: undefined,
  createdAt: '2026-11-20T12:00:00Z',
  updatedAt: '2026-11-20T12:00:00Z',
};
const entryOf = (sentBefore: boolean, provenUnmade: boolean): Entry => ({ intent, sentBefore, provenUnmade, read: {} });
const NEW = entryOf(false, true);
const UNREAD = entryOf(false, false);
const AGAIN = entryOf(true, true);
const BLIND = entryOf(true, false);

type Fields = Partial<ConstructorParameters<typeof ApiError>[1]>;
const failure = (fields: Fields = {}) => ({
  kind: 'failed' as const,
  error: new ApiError('It failed.', {
    status: 'INVALID_ARGUMENT',
    outcome: 'not_processed',
    transient: false,
    ...fields,
  }),
});
const REFUSED = failure();
const BUSY = failure({ status: 'RESOURCE_EXHAUSTED', transient: true });
const SILENT = failure({ status: 'TIMEOUT', outcome: 'unknown' });
const LOGGED_OUT = failure({ status: 'UNAUTHENTICATED' });
const STOPPED = { kind: 'stopped' } as const;
const FROZEN = { kind: 'frozen', reason: 'frozen by anna' } as const;

describe('a change after a failure', () => {
  it.each<[string, Entry, Parameters<typeof conclude>[1], 'validate' | 'mutate', string, string]>([
    ['is rejected if refused', NEW, REFUSED, 'mutate', 'rejected', 'INVALID_ARGUMENT'],
    ['is rejected if refused and never read', UNREAD, REFUSED, 'mutate', 'rejected', 'INVALID_ARGUMENT'],
    ['is rejected if its validation is refused', NEW, REFUSED, 'validate', 'rejected', 'INVALID_ARGUMENT'],
    ['is in doubt if the quota is used up', NEW, BUSY, 'mutate', 'unknown', 'RESOURCE_EXHAUSTED'],
    ['is in doubt if its token is invalid', NEW, LOGGED_OUT, 'mutate', 'unknown', 'UNAUTHENTICATED'],
    ['is in doubt without an answer', NEW, SILENT, 'mutate', 'unknown', 'TIMEOUT'],
    ['is postponed if its validation has no answer', NEW, SILENT, 'validate', 'planned', 'TIMEOUT'],
    ['sent again is rejected if refused and proven unmade', AGAIN, REFUSED, 'mutate', 'rejected', 'INVALID_ARGUMENT'],
    ['sent again is in doubt if refused without proof', BLIND, REFUSED, 'mutate', 'unknown', 'INVALID_ARGUMENT'],
    ['sent again is in doubt if the quota is used up', AGAIN, BUSY, 'validate', 'unknown', 'RESOURCE_EXHAUSTED'],
    ['sent again is in doubt if its token is invalid', AGAIN, LOGGED_OUT, 'validate', 'unknown', 'UNAUTHENTICATED'],
    ['sent again is in doubt if its validation has no answer', AGAIN, SILENT, 'validate', 'unknown', 'TIMEOUT'],
    ['expires by a stop before its request', NEW, STOPPED, 'mutate', 'expired', 'STOPPED'],
    ['sent before is in doubt after a stop', AGAIN, STOPPED, 'mutate', 'unknown', 'STOPPED'],
    ['expires by a freeze', NEW, FROZEN, 'mutate', 'expired', 'FROZEN'],
    ['sent before is in doubt after a freeze', AGAIN, FROZEN, 'mutate', 'unknown', 'FROZEN'],
  ])('%s', (_, entry, outcome, stage, to, code) => {
    const step = conclude(entry, outcome, stage);
    expect([step.to, step.code]).toEqual([to, code]);
  });

  it('is recorded with the answer and the name of the first error', () => {
    const details = [
      { code: 'BUDGET_BELOW_MINIMUM', message: 'Too low.', field: 'amount_micros' },
      { code: 'OTHER', message: 'Else.', field: undefined },
    ] as unknown as ApiError['details'];
    const step = conclude(NEW, failure({ httpStatus: 400, requestId: 'r-1', details }), 'mutate');
    expect(step).toMatchObject({
      to: 'rejected',
      code: 'BUDGET_BELOW_MINIMUM',
      detail: {
        answer: { status: 'INVALID_ARGUMENT', http_status: 400, request_id: 'r-1', errors: details },
        unproven: true,
      },
    });
    const validated = conclude(NEW, failure({ httpStatus: 400 }), 'validate');
    expect(validated.detail).not.toHaveProperty('unproven');
  });
});

describe('a recorded step', () => {
  const words = { clock: fakeClock('2026-11-20T12:10:00Z'), locale: () => undefined };
  const step = (to: 'expired' | 'rejected') => ({ to, code: 'FROZEN', outcome: 'Budget changes are frozen.' });
  const written = async (steps: readonly ('validated' | 'sending')[], to: 'expired' | 'rejected') => {
    const state = await freshStore();
    await moveOn(state.db, words, await intentAfter(state, steps), step(to));
    const column = (sql: string) => state.connection.prepare(sql).pluck().all();
    return [column('SELECT kind FROM budget_event ORDER BY id'), column('SELECT text FROM alert')];
  };

  it('lets a `sending` change expire whose request was held back', async () => {
    const [kinds] = await written(['validated', 'sending'], 'expired');
    expect(kinds).toEqual(['planned', 'validated', 'sending', 'expired']);
  });

  it('lets a change that is not `sending` expire at once', async () => {
    expect((await written(['validated'], 'expired'))[0]).toEqual(['planned', 'validated', 'expired']);
  });

  it('reports the outcomes that people need', async () => {
    const [kinds, alerts] = await written(['validated', 'sending'], 'rejected');
    expect(kinds).toEqual(['planned', 'validated', 'sending', 'rejected']);
    expect(alerts).toEqual([expect.stringContaining('40.00 EUR')]);
  });

  it('keeps the answer of a success', () => {
    const facts = acceptanceFacts({ kind: 'accepted', named: true, requestId: 'r-1' });
    expect(facts).toEqual({ request_id: 'r-1', names_the_budget: true });
  });
});
