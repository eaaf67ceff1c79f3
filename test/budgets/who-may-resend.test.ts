import { describe, expect, it } from 'vitest';
import { budgetId } from '../../src/domain/ids.ts';
import { settleIntents } from '../../src/engine/budgets/carry-out.ts';
import { intentById, intentsOf, type NewIntent } from '../../src/storage/records/budgets/intent-table.ts';
import { tamper } from '../support/audit.ts';
import { fakeClock } from '../support/fake-time.ts';
import { APPLIED, freshStore, intentAfter, someIntent, UNKNOWN } from '../support/state.ts';
import { answering, type Said, showing } from './answering.ts';
import { whileMode } from './send-path.ts';

const { customerId, accountDay } = someIntent();
const MADE: Said = [200, { results: [{ resourceName: `customers/${customerId}/campaignBudgets/201` }] }];
const OLD = showing('40000000');
const RULE: Partial<NewIntent> = {};
const APPROVED: Partial<NewIntent> = { origin: 'approval', actor: 'approved by anna' };
const UNDO: Partial<NewIntent> = { kind: 'undo', undoes: 1n, actor: 'anna', budgetId: budgetId('201') };

async function world(answers: readonly Said[], kind: Partial<NewIntent>, steps: Parameters<typeof intentAfter>[1]) {
  const state = await freshStore();
  if (kind.undoes !== undefined) await intentAfter(state, APPLIED);
  const intent = await intentAfter(state, steps, kind);
  const { deps, asked } = answering(answers, { state, clock: fakeClock('2026-11-20T12:10:00Z') });
  const settle = (mode: 'propose' | 'approve' | 'apply') =>
    settleIntents(deps, customerId, [intent], () => accountDay, whileMode(mode));
  return { state, intent, asked, settle };
}

describe('a change in doubt whose budget has its old amount', () => {
  it.each<[string, 'propose' | 'approve' | 'apply', boolean, Partial<NewIntent>]>([
    ['of a rule', 'apply', true, RULE],
    ['of a rule', 'approve', false, RULE],
    ['of a rule', 'propose', false, RULE],
    ['that a person approved', 'apply', true, APPROVED],
    ['that a person approved', 'approve', true, APPROVED],
    ['that a person approved', 'propose', false, APPROVED],
    ['that undoes another', 'propose', true, UNDO],
  ])('%s in mode %s: sent again is %s', async (_, mode, again, kind) => {
    const { settle, intent, asked } = await world([OLD, [200, {}], MADE], kind, UNKNOWN);
    expect((await settle(mode)).get(intent.id)?.state).toBe(again ? 'applied' : 'rejected');
    expect(asked).toEqual(again ? ['read', 'validate 201', 'mutate 201'] : ['read']);
  });
});

describe('a change that was never sent', () => {
  it.each<[string, Partial<NewIntent>, RegExp]>([
    ['of a rule is decided again', RULE, /^The change was never sent\. The rule may decide again\.$/],
    ['approved by a person must be requested again', APPROVED, /If you still want it, request it again\.$/],
    ['that undoes another must be requested again', UNDO, /If you still want it, request it again\.$/],
  ])('%s', async (_, kind, words) => {
    const { settle, intent, asked, state } = await world([OLD], kind, []);
    expect((await settle('apply')).get(intent.id)).toMatchObject({
      state: 'expired',
      outcome: expect.stringMatching(words),
    });
    const now = await intentById(state.db, intent.id);
    expect(now).toMatchObject({ state: 'expired', code: 'NEVER_SENT', outcome: expect.stringMatching(words) });
    expect(asked).toEqual([]);
  });

  it('is in doubt if an earlier version planned it again after it was sent', async () => {
    const { state } = await world([OLD], RULE, ['validated', 'sending']);
    tamper(state, "UPDATE budget_intent SET state = 'planned'");
    const { deps } = answering([OLD], { state, clock: fakeClock('2026-11-20T12:10:00Z') });
    const ends = await settleIntents(deps, customerId, await intentsOf(state.db), () => accountDay, whileMode('apply'));
    expect([...ends.values()]).toMatchObject([
      { state: 'unknown', outcome: expect.stringContaining('proves nothing') },
    ]);
  });

  it('is given up beside a resolved one, and both are reported', async () => {
    const { state } = await world([OLD], RULE, UNKNOWN);
    await intentAfter(state, ['validated'], { budgetId: budgetId('202') });
    const { deps, passed } = answering([showing('34000000')], { state, clock: fakeClock('2026-11-20T12:10:00Z') });
    const open = (await intentsOf(state.db)).reverse();
    const ends = await settleIntents(deps, customerId, open, () => accountDay, whileMode('apply'));
    expect([...ends.values()].map(({ state }) => state).sort()).toEqual(['confirmed', 'expired']);
    expect(passed.filter((point) => point === 'check:after-commit')).toHaveLength(2);
  });

  it('causes no request and no commit if there is none', async () => {
    const { deps, asked, passed } = answering([OLD], { state: await freshStore() });
    expect((await settleIntents(deps, customerId, [], () => accountDay, whileMode('apply'))).size).toBe(0);
    expect([asked, passed]).toEqual([[], []]);
  });
});
