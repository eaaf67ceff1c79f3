import { describe, expect, it } from 'vitest';
import { budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { BudgetDeps } from '../../src/engine/budgets/budget-deps.ts';
import { planIntents } from '../../src/engine/budgets/carry-out.ts';
import { undoIntent } from '../../src/engine/budgets/personal-change.ts';
import {
  type Intent,
  type IntentStep,
  intentById,
  type NewIntent,
} from '../../src/storage/records/budgets/intent-table.ts';
import { fakeClock } from '../support/fake-time.ts';
import { APPLIED, freshStore, intentAfter, someIntent, UNKNOWN } from '../support/state.ts';
import { answering, made, type Said, showing, showingAll, WHEN_NOBODY_MAY } from './answering.ts';

const TODAY = civilDate('2026-11-20');
const LATER = { accountDay: civilDate('2026-11-21') };
const ANNA = { by: 'anna', why: ' the campaign runs again ' };
const allowed = async () => undefined;
const OLD = showing('40000000');
const TARGET = showing('34000000');
const MADE: readonly Said[] = [TARGET, TARGET, [200, {}], made(201)];
const REJECTED = ['validated', 'sending', 'rejected'] as const;

type Change = readonly [steps: readonly IntentStep['to'][], other?: Partial<NewIntent>];

/** A change of budget 201 from 40.00 EUR to 34.00 EUR that was made, beside others. */
async function changed(
  answers: readonly Said[],
  others: readonly Change[] = [],
  change: Partial<NewIntent> = {},
  other: Partial<BudgetDeps> = {},
) {
  const state = await freshStore();
  const intent = await intentAfter(state, APPLIED, change);
  for (const [steps, fields] of others) await intentAfter(state, steps, fields);
  const service = answering(answers, { state, clock: fakeClock('2026-11-20T12:10:00Z'), ...other });
  const undo = (seen: Intent = intent) => undoIntent(service.deps, seen, ANNA, () => TODAY, allowed);
  const plan = () => planIntents(service.deps, undefined, [someIntent()]);
  return { state, intent, undo, plan, asked: service.asked, passed: service.passed };
}

const money = (units: bigint) => micros(units * 1_000_000n);
const declaring = () => new Map([[budgetId('201'), { amount: money(34n), campaigns: [] }]]);
const NOTHING: Said = [200, [{ results: [] }]];

describe('an undone change', () => {
  it('is a change of the person with all decided facts, and is sent', async () => {
    const { undo, asked, passed } = await changed(MADE);
    const { from, to, kind: _kind, ...decided } = someIntent();
    expect(await undo()).toMatchObject({
      kind: 'sent',
      intent: {
        ...decided,
        kind: 'undo',
        origin: 'undo',
        undoes: 1n,
        actor: 'anna',
        from: to,
        to: from,
        accountDay: TODAY,
        state: 'applied',
        reason: 'the campaign runs again (undoes B1 by rule trim@1f2e3d4c5b6a)',
      },
    });
    expect(asked).toEqual(['read', 'read', 'validate 201', 'mutate 201']);
    expect(passed.slice(0, 2)).toEqual(['undo:before-commit', 'undo:after-commit']);
  });

  it('says that a person had approved it', async () => {
    const { undo } = await changed(MADE, [], { origin: 'approval', actor: 'approved by ben' });
    const reason = 'the campaign runs again (undoes B1, approved by ben)';
    expect(await undo()).toMatchObject({ intent: { reason } });
  });

  it.each<[string, readonly Change[], Partial<NewIntent>]>([
    ['had an undo that was refused', [[REJECTED, { kind: 'undo', undoes: 1n }]], {}],
    ['has the floor as its old amount', [], { floor: money(40n) }],
    ['has the ceiling as its old amount', [], { ceiling: money(40n) }],
    ['has no limits', [], { floor: undefined, ceiling: undefined }],
    ['has a change of another budget under way', [[UNKNOWN, { budgetId: budgetId('202') }]], {}],
  ])('may be a change that %s', async (_, others, change) => {
    expect(await (await changed(MADE, others, change)).undo()).toMatchObject({ intent: { state: 'applied' } });
  });

  it('uses the current facts, not those seen earlier', async () => {
    const { intent, undo } = await changed(MADE);
    expect(await undo({ ...intent, state: 'sending' })).toMatchObject({ intent: { state: 'applied' } });
  });

  it('can be undone itself, and leaves the rule’s change as the change of the day', async () => {
    const { state, undo, plan } = await changed([...MADE, OLD, OLD, [200, {}], made(201)]);
    await undo();
    const inverse = await intentById(state.db, 2n);
    expect(inverse && (await undo(inverse))).toMatchObject({ intent: { state: 'applied', to: 34_000_000n } });
    expect(await plan()).toEqual([undefined]);
  });

  it('of a declared budget uses the declared amount', async () => {
    const change = { amountSource: 'declared', declared: money(34n) } as const;
    const answers: readonly Said[] = [NOTHING, NOTHING, [200, {}], made(201)];
    const { undo } = await changed(answers, [], change, { declared: declaring });
    expect(await undo()).toMatchObject({ intent: { ...change, state: 'applied' } });
  });
});

describe('a change is not undone, and nothing is sent', () => {
  type Row = readonly [string, Said, readonly Change[], Partial<NewIntent>, string, string];
  const now = (amount: string, who: string) => `B1 set 34.00 EUR, and the budget is now ${amount} EUR: ${who}.`;
  const someone = now('50.00', 'someone else changed it since');
  const unread = 'Budget 201 could not be read, so its amount is not known.';
  it.each<Row>([
    [
      'when already undone',
      showing('40000000'),
      [[APPLIED, { kind: 'undo', undoes: 1n, actor: 'ben' }]],
      {},
      'UNDONE_ALREADY',
      'B1 was already undone by ben, as B2.',
    ],
    [
      'while another change is under way',
      TARGET,
      [[UNKNOWN, LATER]],
      {},
      'OUTCOME_OPEN',
      'B2 of the same budget is unknown. Run "pacekeeper budgets reconcile" first.',
    ],
    [
      'when its budget was removed',
      showingAll({ 201: '34000000' }, 'REMOVED'),
      [],
      {},
      'BUDGET_REMOVED',
      'Budget 201 was removed.',
    ],
    ['when its budget is not shown', showingAll({ 202: '34000000' }), [], {}, 'NOT_READ', unread],
    ['when someone else has changed the budget', showing('50000000'), [], {}, 'FOREIGN_CHANGE', someone],
    [
      'when a rule has changed the budget',
      showing('50000000'),
      [[APPLIED, { ...LATER, to: money(50n) }]],
      {},
      'FOREIGN_CHANGE',
      now('50.00', 'rule trim@1f2e3d4c5b6a changed it since, as B2'),
    ],
    [
      'when someone else has changed the budget after a rule',
      showing('50000000'),
      [[APPLIED, LATER]],
      {},
      'FOREIGN_CHANGE',
      someone,
    ],
    [
      'when someone else has changed the budget to what a rule could not',
      showing('50000000'),
      [[REJECTED, { ...LATER, to: money(50n) }]],
      {},
      'FOREIGN_CHANGE',
      someone,
    ],
    [
      'when the old amount is below the floor',
      TARGET,
      [],
      { floor: money(41n) },
      'AT_FLOOR',
      'The old amount of 40.00 EUR is below the floor of 41.00 EUR. Add "--beyond-limits --by NAME" to undo it anyway.',
    ],
    [
      'when the old amount is above the ceiling',
      TARGET,
      [],
      { ceiling: money(39n) },
      'AT_CEILING',
      'The old amount of 40.00 EUR is above the ceiling of 39.00 EUR. Add "--beyond-limits --by NAME" to undo it anyway.',
    ],
  ])('%s', async (_, shown, others, change, code, reason) => {
    const { undo, asked } = await changed([shown], others, change);
    expect(await undo()).toEqual({ kind: 'refused', code, reason });
    expect(asked).toEqual(['read']);
  });

  it('for a change before the last one', async () => {
    const state = await freshStore();
    await intentAfter(state, APPLIED, { to: money(50n) });
    const intent = await intentAfter(state, APPLIED, LATER);
    const { deps } = answering([showing('50000000')], { state, clock: fakeClock('2026-11-21T12:00:00Z') });
    const result = await undoIntent(deps, intent, ANNA, () => LATER.accountDay, allowed);
    expect(result).toMatchObject({ reason: expect.stringMatching(/now 50\.00 EUR: someone else changed it since\.$/) });
  });

  it('when it was not made', async () => {
    const { state } = await changed([TARGET]);
    const intent = await intentAfter(state, REJECTED, LATER);
    const { deps } = answering([TARGET], { state, clock: fakeClock('2026-11-20T12:10:00Z') });
    const reason = 'B2 is rejected. You can undo only a change that was made.';
    const result = await undoIntent(deps, intent, ANNA, () => TODAY, allowed);
    expect(result).toEqual({ kind: 'refused', code: 'NOT_MADE', reason });
  });

  it('while its amount is in doubt, because the service may show an old one', async () => {
    const { undo, asked } = await changed([showing('50000000')], [], {}, { readLagMs: 15 * 60_000 });
    expect(await undo()).toMatchObject({ kind: 'refused', code: 'AMOUNT_IN_DOUBT' });
    expect(asked).toEqual(['read']);
  });

  it('when its amount was read and can only be declared now', async () => {
    const { undo } = await changed([NOTHING], [], {}, { declared: declaring });
    expect(await undo()).toEqual({ kind: 'refused', code: 'NOT_READ', reason: unread });
  });

  it('when budgets cannot be read', async () => {
    const { undo, asked } = await changed([[503, '']]);
    expect(await undo()).toMatchObject({
      kind: 'refused',
      code: 'NOT_READ',
      reason: expect.stringMatching(/^The budget could not be read: ./),
    });
    expect(new Set(asked)).toEqual(new Set(['read']));
  });

  it.each(WHEN_NOBODY_MAY)('%s, without any request', async (_, other, code, reason) => {
    const { undo, asked } = await changed([TARGET], [], {}, other);
    expect([await undo(), asked]).toEqual([{ kind: 'refused', code, reason }, []]);
  });
});

it('an internal error is no reason to refuse', async () => {
  const declared = () => {
    throw new TypeError('broken');
  };
  await expect((await changed([TARGET], [], {}, { declared })).undo()).rejects.toThrow('broken');
});
