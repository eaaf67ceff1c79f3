import { describe, expect, it } from 'vitest';
import { budgetId, customerId } from '../../src/domain/ids.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { CrashPoint } from '../../src/engine/budgets/budget-deps.ts';
import { applyIntents, planIntents } from '../../src/engine/budgets/carry-out.ts';
import { type IntentStep, intentsOf, type NewIntent } from '../../src/storage/records/budgets/intent-table.ts';
import { fakeClock } from '../support/fake-time.ts';
import { APPLIED, freshStore, intentAfter, someIntent, UNKNOWN } from '../support/state.ts';
import { answering, showing } from './answering.ts';

const CUSTOMER = customerId('1234567890');
const TOMORROW = civilDate('2026-11-21');

const clock = fakeClock('2026-11-20T12:10:00Z');
const decision = (id: number, other: Partial<NewIntent> = {}) => someIntent({ budgetId: budgetId(`${id}`), ...other });
const planning = async (passes: (point: CrashPoint) => void = () => undefined) => {
  const state = await freshStore();
  return {
    state,
    plan: async (...decisions: NewIntent[]) =>
      (await planIntents({ state, clock, passes }, undefined, decisions)).map((intent) => intent?.budgetId),
    planned: async () => (await intentsOf(state.db)).map(({ budgetId: id, state: now }) => [id, now]),
  };
};

describe('planned decisions', () => {
  it('become changes in their order, at the time of planning', async () => {
    const { state, plan, planned } = await planning();
    expect(await plan(decision(203), decision(201), decision(202))).toEqual(['203', '201', '202']);
    expect((await planned()).map(([, now]) => now)).toEqual(['planned', 'planned', 'planned']);
    expect((await intentsOf(state.db)).map(({ createdAt }) => createdAt)).toEqual(
      Array(3).fill('2026-11-20T12:10:00Z'),
    );
  });

  it('skip only the second decision on one budget', async () => {
    const { plan } = await planning();
    const decisions = [decision(201), decision(201, { accountDay: TOMORROW }), decision(202)];
    expect(await plan(...decisions)).toEqual(['201', undefined, '202']);
  });

  it('belong to one account each, although another has a budget of the same number', async () => {
    const { plan } = await planning();
    expect(await plan(decision(201), decision(201, { customerId: customerId('7777777777') }))).toEqual(['201', '201']);
  });

  it.each<[string, readonly IntentStep['to'][], string | undefined]>([
    ['is planned', [], undefined],
    ['is being sent', ['validated', 'sending'], undefined],
    ['is in doubt', ['validated', 'sending', 'unknown'], undefined],
    ['was made', APPLIED, '201'],
  ])('of the next day handle a budget whose earlier change %s', async (_, steps, expected) => {
    const { state, plan } = await planning();
    await intentAfter(state, steps);
    expect(await plan(decision(201, { accountDay: TOMORROW }))).toEqual([expected]);
  });

  it('of the same day skip a budget that had its change', async () => {
    const { state, plan } = await planning();
    await intentAfter(state, APPLIED);
    expect(await plan(decision(201), decision(202))).toEqual([undefined, '202']);
  });

  it('are committed together or not at all', async () => {
    const passed: CrashPoint[] = [];
    const { plan, planned } = await planning((point) => {
      passed.push(point);
      if (point === 'plan:before-commit') throw new Error('killed');
    });
    await expect(plan(decision(201), decision(202))).rejects.toThrow('killed');
    expect(await planned()).toEqual([]);
    expect(passed).toEqual(['plan:before-commit']);
  });
});

describe('changes in progress', () => {
  it('are not sent again automatically if their outcome is unknown', async () => {
    const state = await freshStore();
    const intent = await intentAfter(state, UNKNOWN);
    const { deps, asked } = answering([showing('40000000')], { state, clock });
    await applyIntents(deps, CUSTOMER, [intent], () => intent.accountDay);
    expect(new Set(asked)).toEqual(new Set(['read']));
  });

  it('are not sent again automatically without an answer', async () => {
    const state = await freshStore();
    const intent = await intentAfter(state, []);
    const { deps, asked } = answering([showing('40000000'), [200, {}], [500, 'Oops.'], showing('40000000')], {
      state,
      clock,
    });
    const results = await applyIntents(deps, CUSTOMER, [intent], () => intent.accountDay);
    expect([...results].map(([id, { state }]) => [id, state])).toEqual([[intent.id, 'unknown']]);
    expect(asked.filter((name) => name.startsWith('mutate'))).toEqual(['mutate 201']);
  });
});
