import { describe, expect, it } from 'vitest';
import { budgetId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { insertIntent } from '../../../src/storage/records/budgets/intent-table.ts';
import { randomCode } from '../../../src/storage/records/budgets/proposal-code.ts';
import {
  decideProposal,
  expireProposals,
  insertProposal,
  type NewProposal,
  openProposals,
  proposalByCode,
} from '../../../src/storage/records/budgets/proposal-table.ts';
import { type AnyStore, byEngine, freshStore, NOW_MS, OF_RULE, someIntent } from '../../support/state.ts';

const HOUR_MS = 3_600_000;

function someProposal(other: Partial<NewProposal> = {}): NewProposal {
  const { kind: _kind, origin: _origin, undoes: _undoes, actor: _actor, ...change } = someIntent();
  return { ...change, expiresAtMs: NOW_MS + 24 * HOUR_MS, ...other };
}

const code = (text: string) => () => text;

const events = ({ connection }: AnyStore) =>
  connection
    .prepare(
      "SELECT kind, actor, intent_id, detail ->> 'proposal_code' AS code, detail ->> 'proposal_state' AS state FROM budget_event ORDER BY id",
    )
    .all();

describe('a proposal', () => {
  it('reads back as written, by its code in any spelling', async () => {
    const state = await freshStore();
    const made = await insertProposal(state.db, undefined, someProposal(), NOW_MS, code('K7MX'));
    const { expiresAtMs: _expires, ...change } = someProposal();
    expect(made).toEqual({
      ...change,
      ...OF_RULE,
      code: 'K7MX',
      state: 'open',
      intentId: undefined,
      decidedBy: undefined,
      decidedAt: undefined,
      createdAt: '2026-11-20T12:00:00Z',
      expiresAt: '2026-11-21T12:00:00Z',
    });
    expect(await proposalByCode(state.db, ' k7mx ')).toEqual(made);
    expect(await proposalByCode(state.db, 'K7MY')).toBeUndefined();
    expect(await openProposals(state.db, NOW_MS)).toEqual([made]);
    expect(events(state)).toEqual([
      { kind: 'proposed', actor: 'rule trim@1f2e3d4c5b6a', intent_id: null, code: 'K7MX', state: 'open' },
    ]);
  });

  it('is the only open one for its budget', async () => {
    const state = await freshStore();
    await insertProposal(state.db, undefined, someProposal(), NOW_MS, code('K7MX'));
    expect(await insertProposal(state.db, undefined, someProposal({ rule: 'another' }), NOW_MS)).toBeUndefined();
    const other = someProposal({ budgetId: budgetId('202') });
    expect(await insertProposal(state.db, undefined, other, NOW_MS)).toMatchObject({ state: 'open' });
    await decideProposal(state.db, 'K7MX', { state: 'rejected', by: 'anna' }, NOW_MS);
    expect(await insertProposal(state.db, undefined, someProposal(), NOW_MS)).toMatchObject({ state: 'open' });
  });

  it('never gets the code of another proposal, open or past', async () => {
    const state = await freshStore();
    const codes = ['K7MX', 'K7MX', 'K7MX', 'K7MY'];
    const next = () => codes.shift() ?? '';
    await insertProposal(state.db, undefined, someProposal(), NOW_MS, next);
    await decideProposal(state.db, 'K7MX', { state: 'rejected', by: 'anna' }, NOW_MS);
    expect(await insertProposal(state.db, undefined, someProposal(), NOW_MS, next)).toMatchObject({ code: 'K7MY' });
    const taken = insertProposal(
      state.db,
      undefined,
      someProposal({ budgetId: budgetId('202') }),
      NOW_MS,
      code('K7MY'),
    );
    await expect(taken).rejects.toThrow('No free code for a proposal was found in 1000 tries.');
  });

  it('has a code that is hard to misread', () => {
    for (let left = 500; left > 0; left--) expect(randomCode()).toMatch(/^[ACDEFGHJKMNPRTWXY34679]{4}$/);
  });

  it('is approved together with its intent, or not at all', async () => {
    const state = await freshStore();
    await insertProposal(state.db, undefined, someProposal(), NOW_MS, code('K7MX'));
    const approve = (fails: boolean) =>
      state.db.transaction().execute(async (trx) => {
        const intent = await insertIntent(trx, undefined, someIntent({ actor: 'anna' }), NOW_MS);
        const decision = { state: 'approved', by: 'anna', intentId: intent?.id ?? 0n } as const;
        const approved = await decideProposal(trx, 'K7MX', decision, NOW_MS);
        if (fails) throw new Error('The disk is full.');
        return approved;
      });
    await expect(approve(true)).rejects.toThrow('The disk is full.');
    expect(await openProposals(state.db, NOW_MS)).toHaveLength(1);
    expect(events(state)).toHaveLength(1);
    const { intentId, ...approved } = (await approve(false)) ?? {};
    // PostgreSQL does not give a number again.
    expect(intentId).toBe(byEngine({ sqlite: 1n, postgres: 2n }));
    expect(approved).toMatchObject({
      state: 'approved',
      decidedBy: 'anna',
      decidedAt: '2026-11-20T12:00:00Z',
    });
    expect(events(state)).toMatchObject([
      { kind: 'proposed' },
      { kind: 'planned', actor: 'anna', intent_id: intentId },
      { kind: 'approved', actor: 'anna', intent_id: intentId, code: 'K7MX', state: 'approved' },
    ]);
  });

  it('is decided once, and not after it expires', async () => {
    const state = await freshStore();
    const late = { budgetId: budgetId('202'), to: micros(36_000_000n), expiresAtMs: NOW_MS + HOUR_MS };
    await insertProposal(state.db, undefined, someProposal(), NOW_MS, code('K7MX'));
    await insertProposal(state.db, undefined, someProposal(late), NOW_MS, code('K7MY'));
    const reject = { state: 'rejected', by: 'anna', why: 'A sale begins.' } as const;
    expect(await decideProposal(state.db, 'k7mx', reject, NOW_MS)).toMatchObject({ state: 'rejected' });
    expect(await decideProposal(state.db, 'K7MX', reject, NOW_MS)).toBeUndefined();
    expect(await decideProposal(state.db, 'K7MY', reject, NOW_MS + HOUR_MS)).toBeUndefined();
    expect(await openProposals(state.db, NOW_MS + HOUR_MS)).toEqual([]);
    expect(events(state)).toMatchObject([{ kind: 'proposed' }, { kind: 'proposed' }, { kind: 'declined' }]);
  });

  it('expires without a decision, and its budget may get another at once', async () => {
    const state = await freshStore();
    await insertProposal(state.db, undefined, someProposal(), NOW_MS, code('K7MX'));
    expect(await expireProposals(state.db, NOW_MS + HOUR_MS)).toEqual([]);
    const laterMs = NOW_MS + 24 * HOUR_MS;
    const again = someProposal({ expiresAtMs: laterMs + HOUR_MS });
    expect(await insertProposal(state.db, undefined, again, laterMs, code('K7MY'))).toMatchObject({ code: 'K7MY' });
    expect(await proposalByCode(state.db, 'K7MX')).toMatchObject({ state: 'expired', decidedBy: 'pacekeeper' });
    const superseded = { state: 'superseded', by: 'rule other@000000000000' } as const;
    expect(await decideProposal(state.db, 'K7MY', superseded, laterMs)).toMatchObject({ state: 'superseded' });
    expect(events(state)).toMatchObject([
      { kind: 'proposed', code: 'K7MX' },
      { kind: 'proposal_expired', actor: 'pacekeeper', code: 'K7MX', state: 'expired' },
      { kind: 'proposed', code: 'K7MY' },
      { kind: 'proposal_expired', actor: 'rule other@000000000000', code: 'K7MY', state: 'superseded' },
    ]);
  });
});
