import { describe, expect, inject, it } from 'vitest';
import { InvariantError } from '../../../src/domain/errors.ts';
import { budgetId, campaignId, customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { appendEvent, eventsOf } from '../../../src/storage/records/budgets/event-table.ts';
import {
  decidedOn,
  INTENT_TRANSITIONS,
  insertIntent,
  intentById,
  intentsById,
  intentsOf,
  intentsOfBudget,
  moveIntent,
  openIntents,
  undosMade,
  wasUnitRefused,
} from '../../../src/storage/records/budgets/intent-table.ts';
import type { IntentState } from '../../../src/storage/records/schema.ts';
import { APPLIED, byEngine, freshStore, intentAfter, NOW_MS, someIntent, UNKNOWN } from '../../support/state.ts';

const STATES = Object.keys(INTENT_TRANSITIONS) as IntentState[];

/** The steps that keep a change from being made twice, or from being forgotten. */
const STEPS: Readonly<Record<IntentState, string>> = {
  planned: 'validated planned rejected superseded expired unknown',
  validated: 'sending planned superseded expired',
  sending: 'applied rejected expired unknown',
  unknown: 'unknown confirmed sending superseded rejected',
  rejected: 'rejected confirmed',
  expired: '',
  applied: '',
  confirmed: '',
  superseded: '',
};

/** A shortest way to each state. */
const WAYS: Readonly<Record<IntentState, readonly IntentState[]>> = {
  planned: [],
  validated: ['validated'],
  sending: ['validated', 'sending'],
  applied: APPLIED,
  rejected: ['rejected'],
  unknown: UNKNOWN,
  confirmed: [...UNKNOWN, 'confirmed'],
  superseded: ['superseded'],
  expired: ['expired'],
};

describe('an intent', () => {
  it('reads back as written, with any fields left out', async () => {
    const state = await freshStore();
    const full = await insertIntent(state.db, undefined, someIntent({ declared: micros(41_000_000n) }), NOW_MS);
    const bare = { campaignId: undefined, campaignName: undefined, floor: undefined, ceiling: undefined };
    const other = await insertIntent(state.db, undefined, someIntent({ ...bare, budgetId: budgetId('202') }), NOW_MS);
    expect(full).toEqual({
      ...someIntent({ declared: micros(41_000_000n) }),
      id: 1n,
      state: 'planned',
      code: undefined,
      outcome: undefined,
      createdAt: '2026-11-20T12:00:00Z',
      updatedAt: '2026-11-20T12:00:00Z',
    });
    expect(await intentById(state.db, 1n)).toEqual(full);
    expect(other).toMatchObject(bare);
    expect(await intentsOf(state.db)).toEqual([other, full]);
    expect(await intentsOf(state.db, { campaignId: campaignId('21') })).toEqual([full]);
    expect(await intentsOf(state.db, { limit: 1 })).toEqual([other]);
    expect(await intentsOf(state.db, { customers: [customerId('1234567890')] })).toEqual([other, full]);
    expect(await intentsOf(state.db, { customers: [customerId('1234567891')] })).toEqual([]);
    expect(await intentsById(state.db, [2n, 1n, 3n])).toEqual([full, other]);
    expect(await intentsOfBudget(state.db, customerId('1234567890'), budgetId('202'))).toEqual([other]);
    expect(await intentById(state.db, 3n)).toBeUndefined();
  });

  it('of a rule is the only one for its budget and account day, not counting an undo', async () => {
    const state = await freshStore();
    const first = await intentAfter(state, APPLIED);
    expect(await insertIntent(state.db, undefined, someIntent({ rule: 'another' }), NOW_MS)).toBeUndefined();
    const undo = someIntent({ kind: 'undo', undoes: first.id, actor: 'anna', from: first.to, to: first.from });
    expect(await insertIntent(state.db, undefined, undo, NOW_MS)).toMatchObject({ kind: 'undo', undoes: 1n });
    expect(await insertIntent(state.db, undefined, undo, NOW_MS)).toMatchObject({ kind: 'undo' });
    const tomorrow = someIntent({ accountDay: civilDate('2026-11-21') });
    expect(await insertIntent(state.db, undefined, tomorrow, NOW_MS)).toMatchObject({ state: 'planned' });
    expect(state.connection.prepare('SELECT count(*) FROM budget_event').pluck().get()).toBe(7n);
  });

  it('stays expired and allows a new decision for the same day', async () => {
    const state = await freshStore();
    const expired = await intentAfter(state, ['expired']);
    const again = await insertIntent(state.db, undefined, someIntent({ to: micros(36_000_000n) }), NOW_MS);
    expect(again).toMatchObject({ id: expired.id + 1n, state: 'planned', to: 36_000_000n });
    expect(await intentById(state.db, expired.id)).toEqual(expired);
    expect((await eventsOf(state.db, expired.id)).map(({ kind }) => kind)).toEqual(['planned', 'expired']);
    await expect(moveIntent(state.db, expired, { to: 'planned' }, NOW_MS)).rejects.toThrow(
      'Change B1 is expired and cannot become planned.',
    );
  });

  it('that was decided again ignores the holder of the earlier decision', async () => {
    const state = await freshStore();
    const held = await intentAfter(state, []);
    await moveIntent(state.db, held, { to: 'expired' }, NOW_MS);
    await insertIntent(state.db, undefined, someIntent({ to: micros(36_000_000n) }), NOW_MS);
    await expect(moveIntent(state.db, held, { to: 'validated' }, NOW_MS)).rejects.toThrow(
      'Change B1 is no longer planned: another process changed it.',
    );
  });

  it('records its outcome, its time, and the account day it was sent on', async () => {
    const state = await freshStore();
    const intent = await intentAfter(state, ['validated']);
    const accountDay = civilDate('2026-11-21');
    const sent = await moveIntent(state.db, intent, { to: 'sending', accountDay }, NOW_MS + 60_000);
    expect(sent).toEqual({ ...intent, state: 'sending', accountDay, updatedAt: '2026-11-20T12:01:00Z' });
    const end = { to: 'rejected', code: 'TOO_LOW', outcome: 'The budget is too low.' } as const;
    const rejected = await moveIntent(state.db, sent, end, NOW_MS + 61_000);
    expect(rejected).toMatchObject({ state: 'rejected', code: 'TOO_LOW', outcome: 'The budget is too low.' });
    expect(await intentById(state.db, intent.id)).toEqual(rejected);
  });

  it.each(STATES)('in state %s moves only as the table of steps allows', async (from) => {
    expect(INTENT_TRANSITIONS[from].join(' ')).toBe(STEPS[from]);
    for (const to of STATES) {
      const state = await freshStore();
      const intent = await intentAfter(state, WAYS[from]);
      const before = await eventsOf(state.db, intent.id);
      const moved = moveIntent(state.db, intent, { to }, NOW_MS + 60_000);
      if (STEPS[from].split(' ').includes(to)) {
        expect(await moved).toMatchObject({ state: to });
        expect((await eventsOf(state.db, intent.id)).at(-1)?.kind).toBe(to);
      } else {
        await expect(moved).rejects.toThrow(new InvariantError(`Change B1 is ${from} and cannot become ${to}.`));
        expect(await intentById(state.db, intent.id)).toEqual(intent);
        expect(await eventsOf(state.db, intent.id)).toEqual(before);
      }
    }
  });

  it('once sent with an unknown outcome never becomes unsent', async () => {
    const state = await freshStore();
    const again = await intentAfter(state, [...UNKNOWN, 'sending']);
    await expect(moveIntent(state.db, again, { to: 'expired' }, NOW_MS)).rejects.toThrow(
      'Change B1 was sent once and its outcome is unknown: it cannot expire.',
    );
    expect(await moveIntent(state.db, again, { to: 'applied' }, NOW_MS)).toMatchObject({ state: 'applied' });
    const heldBack = await intentAfter(state, ['validated', 'sending', 'expired'], { budgetId: budgetId('202') });
    expect(heldBack.state).toBe('expired');
  });

  it('marked unknown by an early version does not stop others from expiring', async () => {
    const state = await freshStore();
    const silent = await intentAfter(state, ['validated', 'sending']);
    const recorded = {
      intentId: silent.id,
      kind: 'recorded' as const,
      actor: 'an early version',
      detail: { state: 'unknown' },
    };
    await appendEvent(state.db, recorded, NOW_MS);
    const other = await intentAfter(state, ['validated', 'sending', 'expired'], { budgetId: budgetId('202') });
    expect(other.state).toBe('expired');
    await expect(moveIntent(state.db, silent, { to: 'expired' }, NOW_MS)).rejects.toThrow(
      'Change B1 was sent once and its outcome is unknown: it cannot expire.',
    );
  });

  it('counts as undone only by an undo that was made', async () => {
    const state = await freshStore();
    const change = await intentAfter(state, APPLIED);
    const undo = { kind: 'undo', undoes: change.id, from: change.to, to: change.from } as const;
    await intentAfter(state, ['rejected'], undo);
    expect(await undosMade(state.db)).toEqual(new Map());
    const made = await intentAfter(state, APPLIED, undo);
    expect(await undosMade(state.db)).toEqual(new Map([[change.id, made]]));
  });

  it.each([
    ['rejected', 'campaignBudgetError.NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT', true],
    ['rejected', 'campaignBudgetError.BUDGET_BELOW_PER_DAY_MINIMUM', false],
    ['superseded', 'campaignBudgetError.NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT', false],
  ] as const)('%s with %s shows that the service asks for whole units: %s', async (to, code, isRefused) => {
    const state = await freshStore();
    await moveIntent(state.db, await intentAfter(state, []), { to, code }, NOW_MS);
    expect(await wasUnitRefused(state.db)).toBe(isRefused);
  });

  it('is moved by one of two processes, and the other one gets an error', async () => {
    const one = await freshStore();
    const intent = await intentAfter(one, ['validated']);
    const other = await freshStore(one.place);
    await moveIntent(one.db, intent, { to: 'sending' }, NOW_MS);
    await expect(moveIntent(other.db, intent, { to: 'sending' }, NOW_MS)).rejects.toThrow(
      'Change B1 is no longer validated: another process changed it.',
    );
    expect((await eventsOf(one.db, intent.id)).map(({ kind }) => kind)).toEqual(['planned', 'validated', 'sending']);
  });

  it('stays put if its event cannot be written', async () => {
    const state = await freshStore();
    const intent = await intentAfter(state, ['validated']);
    const refuses = byEngine({
      sqlite: "BEGIN SELECT RAISE(ABORT, 'no more'); END",
      postgres: 'FOR EACH ROW EXECUTE FUNCTION no_more()',
    });
    if (inject('postgres'))
      state.connection.exec(
        "CREATE FUNCTION no_more() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no more'; END $$",
      );
    state.connection.exec(`CREATE TRIGGER no_more BEFORE INSERT ON budget_event ${refuses}`);
    await expect(moveIntent(state.db, intent, { to: 'sending' }, NOW_MS)).rejects.toThrow('no more');
    await expect(insertIntent(state.db, undefined, someIntent({ budgetId: budgetId('202') }), NOW_MS)).rejects.toThrow(
      'no more',
    );
    expect(await intentsOf(state.db)).toEqual([intent]);
  });

  it('is open until its end', async () => {
    const state = await freshStore();
    for (const [index, from] of STATES.entries()) {
      await intentAfter(state, WAYS[from], { budgetId: budgetId(String(300 + index)) });
    }
    const open = await openIntents(state.db);
    expect(open.map((intent) => intent.state)).toEqual(['planned', 'validated', 'sending', 'unknown']);
    const { customerId, accountDay } = someIntent();
    const decided = await decidedOn(state.db, customerId, accountDay);
    expect([...decided.values()]).toEqual(STATES.filter((from) => from !== 'expired'));
    expect(await decidedOn(state.db, customerId, civilDate('2026-11-21'))).toEqual(new Map());
  });

  it('of a person does not count as the day’s decision of a rule', async () => {
    const state = await freshStore();
    const { id, customerId, accountDay } = await intentAfter(state, APPLIED, { budgetId: budgetId('301') });
    await intentAfter(state, APPLIED, { kind: 'undo', undoes: id, actor: 'anna' });
    expect(await decidedOn(state.db, customerId, accountDay)).toEqual(new Map([['301', 'applied']]));
  });
});
