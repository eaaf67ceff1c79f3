import { describe, expect, it } from 'vitest';
import { budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { BudgetDeps } from '../../src/engine/budgets/budget-deps.ts';
import type { Person } from '../../src/engine/budgets/personal-change.ts';
import { approveProposal, type Recheck, rejectProposal } from '../../src/engine/budgets/personal-change.ts';
import { verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import type { IntentStep, NewIntent } from '../../src/storage/records/budgets/intent-table.ts';
import {
  decideProposal,
  expireProposals,
  insertProposal,
  proposalByCode,
} from '../../src/storage/records/budgets/proposal-table.ts';
import { tamper } from '../support/audit.ts';
import { fakeClock } from '../support/fake-time.ts';
import { APPLIED, freshStore, intentAfter, NOW_MS, someIntent, UNKNOWN } from '../support/state.ts';
import { answering, made, type Said, showing, showingAll, WHEN_NOBODY_MAY } from './answering.ts';

const FRIDAY = civilDate('2026-11-20');
const SATURDAY = civilDate('2026-11-21');
const ANNA: Person = { by: 'anna', why: ' fine by me ' };
const OLD = showing('40000000');
const SENT: readonly Said[] = [OLD, OLD, [200, {}], made(201)];
const HOUR = 3_600_000;

/** A proposal K7MX for budget 201, good until 13:00:00. */
async function waiting(answers: readonly Said[], other: Partial<BudgetDeps> = {}, change: Partial<NewIntent> = {}) {
  const state = await freshStore();
  const clock = fakeClock('2026-11-20T12:10:00Z');
  const { kind: _kind, undoes: _undoes, actor: _actor, ...decided } = someIntent(change);
  await insertProposal(state.db, undefined, { ...decided, expiresAtMs: NOW_MS + HOUR }, NOW_MS, () => 'K7MX');
  const service = answering(answers, { state, clock, ...other });
  const rows = (sql: string) => state.connection.prepare(sql).all() as Record<string, unknown>[];
  return {
    state,
    clock,
    rows,
    asked: service.asked,
    passed: service.passed,
    stateOf: async () => (await proposalByCode(state.db, 'K7MX'))?.state,
    approve: (recheck: Recheck = async () => undefined, person = ANNA, code = 'K7MX') =>
      approveProposal(service.deps, code, person, () => SATURDAY, recheck),
    reject: (code = 'K7MX', deps: Partial<BudgetDeps> = {}) =>
      rejectProposal({ ...service.deps, ...deps }, code, { ...ANNA, reply: 'm-1' }),
  };
}

type Waiting = Awaited<ReturnType<typeof waiting>>;

/** Nothing was planned or sent, and the proposal is in this state. */
async function unsent({ stateOf, rows, asked }: Waiting, state: string, intents = 0) {
  expect([await stateOf(), rows('SELECT id FROM budget_intent').length]).toEqual([state, intents]);
  expect(asked.filter((name) => name !== 'read')).toEqual([]);
}

describe('an approved proposal', () => {
  it('becomes a change of today with all decided facts, and is sent', async () => {
    const world = await waiting(SENT);
    const result = await world.approve(undefined, { ...ANNA, reply: 'm-1' });
    const { kind: _kind, accountDay: _day, ...decided } = someIntent();
    expect(result).toMatchObject({
      kind: 'sent',
      intent: {
        ...decided,
        kind: 'rule',
        origin: 'approval',
        undoes: undefined,
        actor: 'approved by anna',
        accountDay: SATURDAY,
        state: 'applied',
        reason: 'cost / clicks = 2.71 > 2.50 (approved by anna: fine by me)',
      },
    });
    expect(world.asked).toEqual(['read', 'read', 'validate 201', 'mutate 201']);
    expect(world.passed.slice(0, 2)).toEqual(['approve:before-commit', 'approve:after-commit']);
    expect(await proposalByCode(world.state.db, 'K7MX')).toMatchObject({ state: 'approved', decidedBy: 'anna' });
    const [event] = world.rows("SELECT detail FROM budget_event WHERE kind = 'approved'");
    expect(JSON.parse(`${event?.detail}`)).toMatchObject({ why: ' fine by me ', reply: 'm-1' });
  });

  it('has the subject and the numbers of the proposal, and the alert has the rule’s message, which is not recorded', async () => {
    const numbers = [{ name: 'clicks', days: [], computed: false, value: '408', unit: 'count' }];
    const decidedOn = { subjectKind: 'campaign', subject: 'Trail Shoes (campaign 21)', numbers } as const;
    const alert = { alertText: 'Clicks are dear.', alertSeverity: 'critical' } as const;
    const world = await waiting(SENT, {}, { decidedOn, ...alert });
    await world.approve(undefined, ANNA, ' k7mx ');
    const rows = world.rows('SELECT kind, origin, subject, numbers, proposal_code FROM decision ORDER BY event_id');
    const told = { subject: 'Trail Shoes (campaign 21)', numbers: rows[0]?.numbers, proposal_code: 'K7MX' };
    expect(rows).toEqual([
      { kind: 'proposal', origin: 'rule', ...told },
      { kind: 'change', origin: 'approval', ...told },
    ]);
    expect(JSON.parse(`${rows[0]?.numbers}`)).toEqual(numbers);
    expect(world.rows('SELECT severity, text FROM alert')).toEqual([
      { severity: 'critical', text: expect.stringMatching(/^Budget changed: .*\n.*\nClicks are dear\.\n/) },
    ]);
    expect(world.rows("SELECT id FROM budget_event WHERE detail LIKE '%dear%' OR detail LIKE '%alert%'")).toEqual([]);
    const { broken, differences } = await verifyAudit(world.state);
    expect([broken, differences]).toEqual([[], []]);
  });

  it('needs no reason', async () => {
    const result = await (await waiting(SENT)).approve(undefined, { by: 'anna', why: '  ' });
    expect(result).toMatchObject({ intent: { reason: 'cost / clicks = 2.71 > 2.50 (approved by anna)' } });
  });

  it('is checked against the current budgets', async () => {
    const world = await waiting([OLD]);
    const objection = { code: 'CURRENCY_NOT_KNOWN', reason: 'Its currency is not known.' };
    const recheck: Recheck = async ({ code }, book) =>
      code === 'K7MX' && book.amounts.get(budgetId('201')) === 40_000_000n ? { ...objection, ends: false } : undefined;
    expect(await world.approve(recheck)).toEqual({ kind: 'refused', ...objection });
    await unsent(world, 'open');
  });

  it('of a declared budget uses the declared amount', async () => {
    const amount = micros(40_000_000n);
    const declared = () => new Map([[budgetId('201'), { amount, campaigns: [] }]]);
    const none: Said = [200, [{ results: [] }]];
    const change = { amountSource: 'declared', declared: amount } as const;
    const world = await waiting([none, none, [200, {}], made(201)], { declared }, change);
    expect(await world.approve()).toMatchObject({ intent: { amountSource: 'declared', declared: amount } });
    const read = await waiting([none], { declared });
    expect(await read.approve()).toMatchObject({ kind: 'refused', code: 'NOT_READ' });
    await unsent(read, 'open');
  });
});

describe('an approval is refused without any request', () => {
  it('for an unknown code, which is shown in part', async () => {
    const world = await waiting([OLD]);
    const reason = `No such proposal: "${'X'.repeat(20)}". Run "pacekeeper budgets list" to see those awaiting approval.`;
    const refusal = { kind: 'refused', code: 'NO_SUCH_PROPOSAL', reason };
    expect(await world.approve(undefined, ANNA, 'X'.repeat(30))).toEqual(refusal);
    expect(await world.reject('X'.repeat(30))).toEqual(refusal);
    expect(world.asked).toEqual([]);
  });

  it.each(WHEN_NOBODY_MAY)('%s', async (_, other, code, reason) => {
    const world = await waiting([OLD], other);
    expect(await world.approve()).toEqual({ kind: 'refused', code, reason: `${reason} K7MX still awaits approval.` });
    expect(world.asked).toEqual([]);
    await unsent(world, 'open');
  });

  it('from the second at which its time ends', async () => {
    const world = await waiting([OLD]);
    const refusal = { code: 'PROPOSAL_EXPIRED', reason: 'Proposal K7MX expired at 2026-11-20 13:00 UTC.' };
    world.clock.set('2026-11-20T13:00:00Z');
    expect(await world.approve()).toMatchObject(refusal);
    expect(world.passed).toEqual(['decline:before-commit', 'decline:after-commit']);
    expect(await world.reject()).toMatchObject(refusal);
    expect([world.asked, world.passed.length]).toEqual([[], 2]);
    await unsent(world, 'expired');
  });

  it('if somebody has already decided', async () => {
    const world = await waiting(SENT);
    await world.approve();
    const reason = 'Proposal K7MX was approved by anna at 2026-11-20 12:10 UTC (B1).';
    expect(await world.approve()).toEqual({ kind: 'refused', code: 'DECIDED_ALREADY', reason });
    expect(world.asked).toHaveLength(4);
  });
});

describe('an approval is refused, and the proposal stays open', () => {
  const gone: Said = showing('50000000');
  it.each<[string, readonly IntentStep['to'][], Said]>([
    ['is not sent yet', [], OLD],
    ['is in doubt, whatever the budget shows', UNKNOWN, gone],
  ])('while a change of the budget %s', async (_, steps, shown) => {
    const world = await waiting([shown]);
    const { id, state } = await intentAfter(world.state, steps);
    const reason = `B${id} of the same budget is ${state}. Run "pacekeeper budgets reconcile" first.`;
    expect(await world.approve()).toEqual({ kind: 'refused', code: 'OUTCOME_OPEN', reason });
    await unsent(world, 'open', 1);
    expect(world.rows('SELECT id FROM foreign_change')).toEqual([]);
  });

  it('after the budget’s change of the day, and says which', async () => {
    const world = await waiting([OLD]);
    const to = { from: micros(46_000_000n), to: micros(40_000_000n) };
    await intentAfter(world.state, APPLIED, { ...to, accountDay: civilDate('2026-11-19') });
    const { id } = await intentAfter(world.state, APPLIED, { ...to, accountDay: SATURDAY });
    await intentAfter(world.state, APPLIED, { ...to, kind: 'undo', undoes: id, accountDay: SATURDAY });
    // Whichever of them was written down last.
    await intentAfter(world.state, APPLIED, { ...to, accountDay: FRIDAY });
    const reason = 'The budget was already changed on 2026-11-21 (B2, applied). This change still awaits approval.';
    expect(await world.approve()).toEqual({ kind: 'refused', code: 'ALREADY_DECIDED_TODAY', reason });
    await unsent(world, 'open', 4);
  });

  it('while the amount is in doubt, because the service may show an old one', async () => {
    const world = await waiting([showing('50000000')], { readLagMs: 15 * 60_000 });
    await intentAfter(world.state, APPLIED, { accountDay: FRIDAY });
    const reason = expect.stringMatching(/^Budget 201 .*\. K7MX still awaits approval\.$/);
    expect(await world.approve()).toEqual({ kind: 'refused', code: 'AMOUNT_IN_DOUBT', reason });
    await unsent(world, 'open', 1);
  });

  it('if its budget cannot be read or is not among those read', async () => {
    for (const shown of [[503, ''], showingAll({ 202: '40000000' })] as const) {
      const world = await waiting([shown]);
      expect(await world.approve()).toMatchObject({ kind: 'refused', code: 'NOT_READ' });
      await unsent(world, 'open');
    }
  });
});

describe('a proposal is superseded', () => {
  const ended = ({ rows }: Waiting) => rows("SELECT actor, detail FROM budget_event WHERE kind = 'proposal_expired'");
  it('by another amount, a foreign change from the amount of the proposal', async () => {
    const world = await waiting([showing('50000000')]);
    const why = 'It was based on 40.00 EUR, but the budget is now 50.00 EUR.';
    const refusal = { kind: 'refused', code: 'SUPERSEDED', reason: `Proposal K7MX is superseded: ${why}` };
    expect(await world.approve()).toEqual(refusal);
    await unsent(world, 'superseded');
    expect(world.rows('SELECT expected_micros, found_micros, account_day FROM foreign_change')).toEqual([
      { expected_micros: 40_000_000n, found_micros: 50_000_000n, account_day: SATURDAY },
    ]);
    expect(ended(world)).toEqual([{ actor: 'pacekeeper', detail: expect.stringContaining(why) }]);
  });

  it('by another amount, a foreign change from the amount that we set last', async () => {
    const world = await waiting([showing('50000000')]);
    await intentAfter(world.state, APPLIED, { accountDay: FRIDAY });
    expect(await world.approve()).toMatchObject({ code: 'SUPERSEDED' });
    expect(world.rows('SELECT expected_micros FROM foreign_change')).toEqual([{ expected_micros: 34_000_000n }]);
  });

  it('by the amount that we set last, which is no foreign change', async () => {
    const world = await waiting([showing('34000000')]);
    await intentAfter(world.state, APPLIED, { accountDay: FRIDAY });
    expect(await world.approve()).toMatchObject({ code: 'SUPERSEDED' });
    expect(world.rows('SELECT id FROM foreign_change')).toEqual([]);
  });

  it('for good if it is no longer valid, with code and reason', async () => {
    const world = await waiting([OLD]);
    const objection = { code: 'ACCOUNT_TOTAL', reason: 'At most 90.00 EUR is allowed.' };
    const reason = `Proposal K7MX is superseded: ${objection.reason}`;
    const refusal = { kind: 'refused', code: 'ACCOUNT_TOTAL', reason };
    expect(await world.approve(async () => ({ ...objection, ends: true }))).toEqual(refusal);
    await unsent(world, 'superseded');
    const detail = JSON.parse(`${ended(world)[0]?.detail}`);
    expect(detail).toMatchObject({ why: objection.reason, code: 'ACCOUNT_TOTAL' });
  });

  it('by the removal of its budget', async () => {
    for (const amount of ['40000000', '50000000']) {
      const world = await waiting([showingAll({ 201: amount }, 'REMOVED')]);
      const reason = 'Proposal K7MX is superseded: It was based on 40.00 EUR, but the budget was removed.';
      expect(await world.approve()).toEqual({ kind: 'refused', code: 'BUDGET_REMOVED', reason });
      await unsent(world, 'superseded');
      expect(world.rows('SELECT id FROM foreign_change')).toEqual([]);
    }
  });
});

describe('an event during an approval', () => {
  const rejected = { state: 'rejected', by: 'ben' } as const;
  const byBen = 'Proposal K7MX was rejected by ben at 2026-11-20 12:10 UTC.';
  it('is noticed before the change is recorded: somebody has decided', async () => {
    const world = await waiting([OLD]);
    const nowMs = world.clock.now();
    const recheck: Recheck = async () => void (await decideProposal(world.state.db, 'K7MX', rejected, nowMs));
    expect(await world.approve(recheck)).toEqual({ kind: 'refused', code: 'DECIDED_ALREADY', reason: byBen });
    await unsent(world, 'rejected');
  });

  it('is reported correctly: somebody decided in time, and the time ended since', async () => {
    const world = await waiting([OLD]);
    const recheck: Recheck = async () => {
      await decideProposal(world.state.db, 'K7MX', rejected, world.clock.now());
      world.clock.set('2026-11-20T13:00:00Z');
      return undefined;
    };
    expect(await world.approve(recheck)).toEqual({ kind: 'refused', code: 'DECIDED_ALREADY', reason: byBen });
  });

  it('is noticed before superseding: somebody has decided, which may explain the amount', async () => {
    const decide: { now?: () => Promise<unknown> } = {};
    const frozen = async () => void (await decide.now?.());
    const world = await waiting([showing('34000000')], { frozen: frozen as () => Promise<undefined> });
    decide.now = () => decideProposal(world.state.db, 'K7MX', rejected, world.clock.now());
    expect(await world.approve()).toEqual({ kind: 'refused', code: 'DECIDED_ALREADY', reason: byBen });
    await unsent(world, 'rejected');
    expect(world.rows('SELECT id FROM foreign_change')).toEqual([]);
  });

  it('is noticed before the change is recorded: its time ended, by the clock or another process', async () => {
    for (const told of [false, true]) {
      const world = await waiting([OLD]);
      const recheck: Recheck = async () => {
        world.clock.set('2026-11-20T13:00:00Z');
        if (told) await expireProposals(world.state.db, world.clock.now());
        return undefined;
      };
      const reason = 'Proposal K7MX expired at 2026-11-20 13:00 UTC.';
      expect(await world.approve(recheck)).toEqual({ kind: 'refused', code: 'PROPOSAL_EXPIRED', reason });
      await unsent(world, told ? 'expired' : 'open');
    }
  });

  it('is noticed before the change is recorded: another change of the budget is under way', async () => {
    const world = await waiting([OLD]);
    const recheck: Recheck = async () => void (await intentAfter(world.state, UNKNOWN));
    expect(await world.approve(recheck)).toMatchObject({ kind: 'refused', code: 'OUTCOME_OPEN' });
    await unsent(world, 'open', 1);
  });

  it('ends the run if the proposal no longer exists', async () => {
    const world = await waiting([OLD]);
    const recheck: Recheck = async () => tamper(world.state, 'DELETE FROM budget_proposal') as undefined;
    await expect(world.approve(recheck)).rejects.toThrow('Proposal K7MX no longer exists.');
  });
});

describe('a rejected proposal', () => {
  it('ends with the person’s reason, without any request', async () => {
    const world = await waiting([OLD]);
    expect(await world.reject()).toMatchObject({
      kind: 'declined',
      proposal: { state: 'rejected', decidedBy: 'anna' },
    });
    expect([world.asked, world.passed]).toEqual([[], ['decline:before-commit', 'decline:after-commit']]);
    const [event] = world.rows("SELECT detail FROM budget_event WHERE kind = 'declined'");
    expect(JSON.parse(`${event?.detail}`)).toMatchObject({ why: ' fine by me ', reply: 'm-1' });
    await unsent(world, 'rejected');
  });

  it('is refused if its time ends meanwhile', async () => {
    const world = await waiting([OLD]);
    let times = 0;
    const clock = { now: () => NOW_MS + (times++ === 0 ? 0 : HOUR) };
    expect(await world.reject('K7MX', { clock })).toMatchObject({ kind: 'refused', code: 'PROPOSAL_EXPIRED' });
  });
});
