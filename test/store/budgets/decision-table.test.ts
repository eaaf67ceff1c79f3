import { describe, expect, it, vi } from 'vitest';
import { budgetId as budgetIdOf, campaignId, customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { verifyAudit } from '../../../src/engine/budgets/verify-audit.ts';
import { keepAllDecisions } from '../../../src/storage/records/budgets/decision-projection.ts';
import {
  changesMadeSince,
  decisionsOfRun,
  decisionsSince,
  type NewDecision,
  proposedOn,
  reasonOfIntent,
  recordDecision,
} from '../../../src/storage/records/budgets/decision-table.ts';
import { insertIntent } from '../../../src/storage/records/budgets/intent-table.ts';
import { insertProposal } from '../../../src/storage/records/budgets/proposal-table.ts';
import { eventfulState, tamper } from '../../support/audit.ts';
import { type AnyStore, beginRun, freshState, freshStore, NOW_MS, someIntent } from '../../support/state.ts';

const HOUR_MS = 3_600_000;
const SINCE = '2026-11-01T00:00:00Z';

const { customerId: customer, campaignName, accountDay, rule, ruleVersion, currency, budgetId } = someIntent();

const REFUSAL: NewDecision = {
  kind: 'refusal',
  customerId: customer,
  budgetId,
  campaignId: campaignId('21'),
  campaignName,
  accountDay,
  rule,
  ruleVersion,
  currency,
  reason: 'clicks (408) >= 30',
  reasonWithoutAmounts: undefined,
  from: undefined,
  to: undefined,
  mode: undefined,
  dryRun: false,
  decidedOn: {
    subjectKind: 'campaign',
    subject: 'Trail Shoes (campaign 21)',
    numbers: [{ name: 'clicks', days: [], computed: false, value: '408', unit: 'count' }],
  },
  code: 'COOLDOWN',
  facts: { budgetId: '201', by: 'rule', day: '2026-11-18', cooldownDays: 3, until: '2026-11-21' },
};
const WOULD: NewDecision = {
  ...REFUSAL,
  code: undefined,
  facts: undefined,
  kind: 'would_change',
  mode: 'propose',
  from: micros(60_000_000n),
  to: micros(51_000_000n),
};

/** A run of each hour, that comes to these decisions. */
async function runs(state: Pick<AnyStore, 'db'>, ...decided: readonly (readonly NewDecision[])[]): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (const [index, decisions] of decided.entries()) {
    const nowMs = NOW_MS + index * HOUR_MS;
    const id = await beginRun(state.db, { nowMs });
    for (const decision of decisions) await recordDecision(state.db, id, decision, nowMs);
    ids.push(id);
  }
  return ids;
}

const eventsIn = ({ connection }: AnyStore) =>
  connection.prepare('SELECT kind FROM budget_event ORDER BY id').pluck().all();

describe('the reason without amounts', () => {
  const words = 'cost / clicks = 2.71 > 2.50';

  it('is on record for a change, but not for one from before reasons were recorded', async () => {
    const { db } = await freshStore();
    const told = await insertIntent(db, undefined, { ...someIntent(), reasonWithoutAmounts: words }, NOW_MS);
    const untold = await insertIntent(db, undefined, someIntent({ budgetId: budgetIdOf('202') }), NOW_MS);
    expect(await reasonOfIntent(db, told?.id ?? 0n)).toBe(words);
    expect(await reasonOfIntent(db, untold?.id ?? 0n)).toBeUndefined();
  });

  it('is on record for a proposal', async () => {
    const { db } = await freshStore();
    const proposal = { ...someIntent(), reasonWithoutAmounts: words, expiresAtMs: NOW_MS + HOUR_MS };
    await insertProposal(db, undefined, proposal, NOW_MS, () => '7K3Q');
    expect(await proposedOn(db, { ...proposal, code: '7K3Q' })).toEqual({ reasonWithoutAmounts: words });
    expect(await proposedOn(db, { ...proposal, code: 'K7MX' })).toEqual({});
  });
});

describe('a decision without a change', () => {
  it('is on record with all its facts, and the record stays sound', async () => {
    const state = await freshStore();
    const [run] = await runs(state, [REFUSAL, WOULD]);
    expect(eventsIn(state)).toEqual(['refused', 'would_change']);
    const [refusal, would] = await decisionsOfRun(state.db, run ?? 0n);
    expect(refusal).toMatchObject({
      kind: 'refusal',
      origin: 'rule',
      runId: run,
      code: 'COOLDOWN',
      subject: 'Trail Shoes (campaign 21)',
      facts: { cooldownDays: 3 },
      from: undefined,
      intent: undefined,
      proposal: undefined,
    });
    expect(would).toMatchObject({ kind: 'would_change', mode: 'propose', from: 60_000_000n, code: undefined });
    const numbers = state.connection.prepare('SELECT DISTINCT numbers FROM decision').pluck().all();
    expect(numbers).toEqual(['[{"computed":false,"days":[],"name":"clicks","unit":"count","value":"408"}]']);
    const facts = state.connection.prepare('SELECT facts FROM decision WHERE facts IS NOT NULL').pluck().get();
    expect(facts).toBe('{"budget_id":"201","by":"rule","cooldown_days":3,"day":"2026-11-18","until":"2026-11-21"}');
    expect((await verifyAudit(state)).differences).toEqual([]);
  });

  it('is written once a day over many runs, and each run reports it', async () => {
    const state = await freshStore();
    const ids = await runs(state, [REFUSAL, WOULD], [REFUSAL, WOULD], [REFUSAL]);
    expect(eventsIn(state)).toEqual(['refused', 'would_change']);
    const kinds = await Promise.all(
      ids.map(async (id) => (await decisionsOfRun(state.db, id)).map(({ kind }) => kind)),
    );
    expect(kinds).toEqual([['refusal', 'would_change'], ['refusal', 'would_change'], ['refusal']]);
    expect(await decisionsSince(state.db, SINCE)).toHaveLength(2);
  });

  it('is written again if anything in it differs, and counts once a day', async () => {
    const state = await freshStore();
    const later = { ...REFUSAL, reason: 'clicks (410) >= 30' };
    const ids = await runs(state, [REFUSAL], [later], [REFUSAL]);
    expect(eventsIn(state)).toEqual(['refused', 'refused']);
    expect((await decisionsOfRun(state.db, ids[2] ?? 0n)).map(({ reason }) => reason)).toEqual([REFUSAL.reason]);
    expect((await decisionsSince(state.db, SINCE)).map(({ reason }) => reason)).toEqual([later.reason]);
  });

  it('counts again for another day, rule, budget or account', async () => {
    const state = await freshStore();
    const others = [
      { ...REFUSAL, rule: 'other' },
      { ...REFUSAL, customerId: customerId('5') },
      { ...REFUSAL, decidedOn: { ...REFUSAL.decidedOn, subject: 'Road (campaign 22)' } },
    ];
    await runs(state, [REFUSAL, ...others]);
    expect(await decisionsSince(state.db, SINCE)).toHaveLength(4);
  });

  it('of a dry run is reported only by that run', async () => {
    const state = await freshStore();
    const [dry] = await runs(state, [{ ...REFUSAL, dryRun: true }]);
    expect(await decisionsOfRun(state.db, dry ?? 0n)).toHaveLength(1);
    expect(await decisionsSince(state.db, SINCE)).toEqual([]);
    await runs(state, [REFUSAL]);
    expect(await decisionsSince(state.db, SINCE)).toHaveLength(1);
  });
});

describe('the ledger', () => {
  it('names who let a change be made, and its outcome', async () => {
    const { db } = await eventfulState();
    const decisions = (await decisionsSince(db, SINCE)).map(({ kind, origin, intent, proposal }) => {
      return [kind, origin, intent?.state, proposal?.code, proposal?.state];
    });
    expect(decisions).toEqual([
      ['change', 'rule', 'planned', undefined, undefined],
      ['change', 'approval', 'expired', 'K7MX', 'approved'],
      ['change', 'rule', 'confirmed', undefined, undefined],
      ['change', 'rule', 'applied', undefined, undefined],
      ['proposal', 'rule', undefined, 'K7MX', 'approved'],
      ['proposal', 'rule', undefined, 'K7MY', 'open'],
    ]);
    expect((await changesMadeSince(db, SINCE)).map(({ intent }) => intent?.id)).toEqual([2n, 1n]);
  });

  it('is rebuilt from the events alone without a difference', async () => {
    const state = await eventfulState();
    await runs(state, [REFUSAL, WOULD]);
    const rows = () => state.connection.prepare('SELECT * FROM decision ORDER BY event_id').all();
    const before = rows();
    expect(before).toHaveLength(8);
    tamper(state, 'DELETE FROM decision');
    await state.db.transaction().execute(keepAllDecisions);
    expect(rows()).toEqual(before);
  });

  it('reads no earlier approvals, neither for a new decision nor to verify all', async () => {
    const state = await freshState();
    const prepare = vi.spyOn(state.connection, 'prepare');
    await runs(state, [REFUSAL]);
    await verifyAudit(state);
    const asked = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('AS approved'));
    prepare.mockRestore();
    const steps = asked.flatMap((sql) => {
      const values = sql
        .split('?')
        .slice(1)
        .map(() => 1n);
      return state.connection.prepare<bigint[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    });
    const looks = steps.map(({ detail }) => detail).filter((detail) => detail.includes(' approved '));
    expect(asked).toHaveLength(2);
    expect(new Set(looks)).toEqual(new Set(['SEARCH approved USING INDEX budget_event_by_intent (intent_id=?)']));
  });
});
