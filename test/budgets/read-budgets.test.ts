import { describe, expect, it } from 'vitest';
import { budgetId, campaignId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { readBudgets } from '../../src/engine/budgets/read-budgets.ts';
import { recordForeignChange } from '../../src/storage/records/budgets/foreign-change-table.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { fakeClock } from '../support/fake-time.ts';
import { freshStore } from '../support/state.ts';
import { answering } from './answering.ts';
import { CUSTOMER, type SendPath, sendPath } from './send-path.ts';

const CAMPAIGN = campaignId('7');
const declaring = (path: SendPath, amount: bigint) => {
  const id = path.budgets[0]?.budgetId ?? budgetId('1');
  path.declared = new Map([[id, { amount: micros(amount), campaigns: [CAMPAIGN] }]]);
};
const read = ({ deps, declared }: SendPath) => readBudgets({ ...deps, db: deps.state.db }, CUSTOMER, declared);
const declaredAmount = async (path: SendPath) => (await read(path)).byCampaign.get(CAMPAIGN);

describe('the budgets of an account', () => {
  it('are read if possible, with removed ones', async () => {
    const path = await sendPath();
    const [one, two] = path.budgets;
    path.sandbox.removeBudget(EUR, two?.budgetId ?? '');
    declaring(path, 1n);
    const book = await read(path);
    expect([book.source, book.amounts.get(one?.budgetId ?? budgetId('1'))]).toEqual(['read', one?.amount]);
    expect([...book.removed]).toEqual([two?.budgetId]);
    expect([...book.byCampaign.values()].find(({ budgetId: id }) => id === one?.budgetId)).toMatchObject({
      amount: one?.amount,
      source: 'read',
      campaignName: expect.stringMatching(/./),
    });
  });

  it('are empty if none is shown and none is declared', async () => {
    const state = await freshStore();
    const { deps } = answering([[200, [{ results: [] }]]], { state, clock: fakeClock('2026-11-20T12:00:00Z') });
    const book = await readBudgets({ ...deps, db: state.db }, CUSTOMER, new Map());
    expect([book.source, book.amounts.size, book.byCampaign.size]).toEqual(['read', 0, 0]);
  });

  it('use declared amounts if none is shown; the others have no amount', async () => {
    const state = await freshStore();
    const row = (id: string) => ({ campaign: { id, campaignBudget: `customers/${CUSTOMER}/campaignBudgets/${id}` } });
    const clock = fakeClock('2026-11-20T12:00:00Z');
    const { deps } = answering([[200, [{ results: [row('1'), row('2')] }]]], { state, clock });
    const declared = new Map([[budgetId('1'), { amount: micros(60_000_000n), campaigns: [CAMPAIGN] }]]);
    const book = await readBudgets({ ...deps, db: state.db }, CUSTOMER, declared);
    expect([book.source, [...book.amounts.keys()], [...book.unreadable.keys()]]).toEqual(['declared', ['1'], ['2']]);
  });

  it('use no declared amount of a total budget, and name it', async () => {
    const state = await freshStore();
    const row = (id: string, campaignBudget: object) => ({
      campaign: { id, campaignBudget: `customers/${CUSTOMER}/campaignBudgets/${id}` },
      campaignBudget,
    });
    const results = [row('1', { period: 'CUSTOM_PERIOD', amountMicros: '0' }), row('2', {})];
    const { deps } = answering([[200, [{ results }]]], { state, clock: fakeClock('2026-11-20T12:00:00Z') });
    const say = (id: string) => [budgetId(id), { amount: micros(60_000_000n), campaigns: [campaignId(id)] }] as const;
    const book = await readBudgets({ ...deps, db: state.db }, CUSTOMER, new Map([say('1'), say('2')]));
    expect([book.source, [...book.amounts.keys()], [...book.byCampaign.keys()]]).toEqual(['declared', ['2'], ['2']]);
    expect([...book.unreadable.values()]).toEqual([{ budgetId: '1', campaigns: ['1'], total: { amount: undefined } }]);
  });

  it('use declared amounts if they cannot be read, and say so', async () => {
    const path = await sendPath({ strict: true });
    declaring(path, 60_000_000n);
    expect(await declaredAmount(path)).toMatchObject({ amount: 60_000_000n, source: 'declared' });
  });
});

describe('a declared budget', () => {
  const changed = async (declared: bigint | undefined) => {
    const path = await sendPath({ strict: true });
    declaring(path, declared ?? 60_000_000n);
    const amounts = { from: micros(60_000_000n), to: micros(51_000_000n), amountSource: 'declared' } as const;
    const then = declared === undefined ? undefined : micros(declared);
    expect(await path.change(1, { ...amounts, declared: then })).toEqual(['applied']);
    return path;
  };

  it('has the amount that we last set while its declaration is unchanged', async () => {
    const path = await changed(60_000_000n);
    expect(await declaredAmount(path)).toMatchObject({ amount: 51_000_000n, source: 'declared' });
  });

  it('has the amount that a person corrected in the settings since', async () => {
    const path = await changed(60_000_000n);
    declaring(path, 70_000_000n);
    expect(await declaredAmount(path)).toMatchObject({ amount: 70_000_000n });
  });

  it('keeps a recorded correction until the next one', async () => {
    const path = await changed(60_000_000n);
    declaring(path, 70_000_000n);
    const about = {
      customerId: CUSTOMER,
      budgetId: path.budgets[0]?.budgetId ?? budgetId('1'),
      accountDay: path.today(),
    };
    const seen = { expected: micros(51_000_000n), found: micros(70_000_000n), declared: micros(70_000_000n) };
    await recordForeignChange(path.state.db, { ...about, ...seen }, path.clock.now());
    expect(await declaredAmount(path)).toMatchObject({ amount: 70_000_000n });
    declaring(path, 80_000_000n);
    expect(await declaredAmount(path)).toMatchObject({ amount: 80_000_000n });
  });

  it('has the amount that we last set if the earlier declaration is unknown', async () => {
    expect(await declaredAmount(await changed(undefined))).toMatchObject({ amount: 51_000_000n });
  });
});
