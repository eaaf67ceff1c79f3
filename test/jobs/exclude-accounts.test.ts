import { describe, expect, it } from 'vitest';
import { customerId } from '../../src/domain/ids.ts';
import { treeService } from '../support/tree-service.ts';
import { A, B, C, D, discover, failing, idsOf, loginsOf, SUB, TOP, TREE } from './discovery.ts';

describe('accounts that are excluded', () => {
  const excluding = (ids: string) => ({ env: { ADS_EXCLUDE_CUSTOMER_IDS: ids } });

  it('are not there, whichever way they are reached', async () => {
    const found = await discover(await treeService([TREE], [TOP, A]), [], excluding(A));
    expect(idsOf(found)).toEqual([B, C]);
    expect(found.notes).toEqual([]);
  });

  it('are everything below a manager, also what is reached past it', async () => {
    for (const accessible of [
      [TOP, B],
      [TOP, SUB, B],
    ]) {
      expect(idsOf(await discover(await treeService([TREE], accessible), [], excluding(SUB)))).toEqual([A]);
    }
  });

  it('are none when the manager they stand below cannot be asked: nothing is read then', async () => {
    const service = await treeService([TREE], [TOP], failing(SUB));
    await expect(discover(service, [], excluding(SUB))).rejects.toMatchObject({ name: 'ApiError', httpStatus: 503 });
  });

  it('are no failure when they are broken', async () => {
    const found = await discover(await treeService([{ id: A }, { id: B }], [A, B], failing(A)), [], excluding(A));
    expect(found.accounts.map(({ customerId: id, failure }) => [id, failure])).toEqual([[B, undefined]]);
    expect(found.notes).toEqual([]);
  });

  it('are told when they match nothing', async () => {
    const found = await discover(await treeService([TREE], [TOP]), [], excluding('5555'));
    expect(found.notes).toEqual(['The excluded account 5555 is not among the accounts there are.']);
  });
});

describe('settings of an account', () => {
  const config =
    'accounts: { 1011: { daily_total: 10 }, 1003: { daily_total: 10 } }\nbudgets: { 5555: { 7: { amount: 5, campaigns: [9] } } }\n';

  it('that is not read are told, with the id that may be meant', async () => {
    const found = await discover(await treeService([TREE], [TOP]), [], { config });
    expect(found.notes).toEqual([
      'accounts.1011: no account that is read has this id. Did you mean 1001?',
      'budgets.5555: no account that is read has this id.',
    ]);
  });

  it('are not judged where a run is for some accounts, nor where a part could not be asked', async () => {
    expect((await discover(await treeService([TREE], [TOP]), [A], { config })).notes).toEqual([]);
    const partly = await treeService([{ id: A }, { id: B }], [A, B], failing(B));
    expect((await discover(partly, [], { config })).notes).toEqual([]);
  });
});

describe('accounts that are named for one run', () => {
  it('are the only ones that are asked when they are reached directly', async () => {
    const service = await treeService([{ id: A }, { id: B }], [A, B]);
    expect(idsOf(await discover(service, [B]))).toEqual([B]);
    expect(service.asked()).toEqual([`${B} -`]);
  });

  it('may stand below a manager', async () => {
    const found = await discover(await treeService([TREE], [TOP]), [B]);
    expect(loginsOf(found)).toEqual([[B, TOP]]);
  });

  it.each([
    ['is not there', '5555', {}, 'There is no account 5555 among the accessible ones: 1001, 1002, 1003.'],
    ['is a manager', SUB, {}, `${SUB} is a manager, which has no statistics of its own: name accounts below it.`],
    ['is not in use', C, {}, 'The service has these accounts out of use: 1003 (SUSPENDED).'],
    ['is excluded', A, { ADS_EXCLUDE_CUSTOMER_IDS: A }, 'Account 1001 is excluded by ads.exclude_customer_ids.'],
  ])('are refused with the reason when one %s', async (_, id, env, message) => {
    const work = discover(await treeService([TREE], [TOP]), [customerId(id)], { env });
    await expect(work).rejects.toMatchObject({ name: 'InputError', message });
  });

  it('fail when one may stand below what could not be asked: that is no mistake of who named it', async () => {
    const service = await treeService([{ id: A }, TREE], [TOP, D], failing(TOP));
    const found = await discover(service, [B]);
    expect(found.accounts).toMatchObject([
      {
        customerId: B,
        failure: `It is not among the accounts that were found, and ${D}, ${TOP} could not be asked.`,
      },
    ]);
  });
});
