import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { type Misbehaviour, refuse, treeService } from '../../support/tree-service.ts';
import { A, B, C, D, discover, failing, idsOf, loginsOf, SUB, TOP, TREE } from './discovery.ts';

const notEnabled =
  (id: string): Misbehaviour =>
  (customer, _, response) => {
    if (customer !== id) return false;
    refuse(response, 403, 'PERMISSION_DENIED', { authorizationError: 'CUSTOMER_NOT_ENABLED' });
    return true;
  };
/** Of one account or of all, the list of clients is not there, or empty. */
const withoutTree =
  (id: string | undefined, status: 200 | 404): Misbehaviour =>
  (customer, { body }, response) => {
    if ((id !== undefined && customer !== id) || !body.includes('FROM customer_client')) return false;
    if (status === 404) refuse(response, 404, 'NOT_FOUND');
    else response.end('[{"results":[]}]');
    return true;
  };

describe('excluded accounts', () => {
  const excluding = (ids: string) => ({ env: { ADS_EXCLUDE_CUSTOMER_IDS: ids } });

  it('are absent, however they are reached', async () => {
    const found = await discover(await treeService([TREE], [TOP, A]), [], excluding(A));
    expect(idsOf(found)).toEqual([B, C]);
  });

  it('include all accounts below a manager, even those also reached another way', async () => {
    for (const accessible of [
      [TOP, B],
      [TOP, SUB, B],
    ]) {
      expect(idsOf(await discover(await treeService([TREE], accessible), [], excluding(SUB)))).toEqual([A]);
    }
  });

  it('are never read if the service refuses their client list', async () => {
    const service = await treeService([TREE], [SUB, B], withoutTree(B, 404));
    await discover(service, [], excluding(SUB));
    expect(service.requests.filter(({ body }) => / FROM customer"/.test(body)).map(({ path }) => path)).toEqual([]);
    expect(service.asked()).toContain(`${B} -`);
  });

  it('include all accounts below a manager, even if one is named or another manager gives access', async () => {
    const named = { ADS_EXCLUDE_CUSTOMER_IDS: SUB, ADS_CUSTOMER_IDS: `${A},${B}` };
    expect(idsOf(await discover(await treeService([TREE], [TOP, B]), [], { env: named }))).toEqual([A]);
    const other = { id: D, children: [{ id: B }] };
    const through = { ADS_EXCLUDE_CUSTOMER_IDS: SUB, ADS_LOGIN_CUSTOMER_ID: D };
    const onlyDirectly: Misbehaviour = (customer, { headers }, response) => {
      if (customer !== SUB || headers['login-customer-id'] === undefined) return false;
      refuse(response, 403, 'PERMISSION_DENIED');
      return true;
    };
    const service = await treeService([TREE, other], [D, SUB], onlyDirectly);
    expect(idsOf(await discover(service, [], { env: through }))).toEqual([]);
  });

  it.each<[string, readonly string[], readonly string[], Misbehaviour | undefined, string]>([
    ['a manager below another', [TOP], [SUB], failing(SUB), SUB],
    ['a manager that is reached directly', [SUB, B], [SUB], failing(SUB), SUB],
    ['one that the login can no longer reach', [B], ['5555'], undefined, '5555'],
    ['one that is not enabled', [A, SUB], [SUB], notEnabled(SUB), SUB],
    ['one without a client list, although others have one', [A, SUB], [SUB], withoutTree(SUB, 404), SUB],
    ['one with an empty client list', [A, SUB], [SUB], withoutTree(SUB, 200), SUB],
    ['an account that may be a manager', [A, B], [A], failing(A), A],
  ])('stop everything while the accounts below are unknown: %s', async (_, accessible, excluded, fault, named) => {
    const service = await treeService([TREE], accessible, fault);
    await expect(discover(service, [], excluding(excluded.join()))).rejects.toMatchObject({
      name: 'ApiError',
      message: expect.stringContaining(`The accounts below the excluded account ${named} are unknown: `),
      nextStep: `pacekeeper reads no account and changes no budget until they are known. Check that the credentials reach ${named}, or remove it from ads.exclude_customer_ids.`,
    });
  });

  it('cause no failure if they are broken and known not to be managers', async () => {
    const found = await discover(await treeService([TREE], [TOP, A], failing(A)), [], excluding(A));
    expect(found.accounts.map(({ customerId: id, failure }) => [id, failure])).toEqual([
      [B, undefined],
      [C, undefined],
    ]);
  });

  it('are matched by their id if the service has no client lists', async () => {
    const service = await treeService([{ id: A }, { id: B }], [A, B], withoutTree(undefined, 404));
    expect(idsOf(await discover(service, [], excluding(A)))).toEqual([B]);
  });
});

describe('settings of an account', () => {
  const config =
    'accounts: { 1011: { daily_total: 10 }, 1003: { daily_total: 10 } }\nbudgets: { 5555: { 7: { amount: 5, campaigns: [9] } } }\n';

  it('are reported if it is not read, with the most similar id', async () => {
    const found = await discover(await treeService([TREE], [TOP]), [], { config });
    expect(found.notes).toEqual([
      'accounts.1011: pacekeeper reads no such account. Did you mean 1001?',
      'budgets.5555: pacekeeper reads no such account.',
    ]);
  });

  it('are not checked if a run is for some accounts, or if some accounts could not be read', async () => {
    expect((await discover(await treeService([TREE], [TOP]), [A], { config })).notes).toEqual([]);
    const partly = await treeService([{ id: A }, { id: B }], [A, B], failing(B));
    expect((await discover(partly, [], { config })).notes).toEqual([]);
  });
});

describe('accounts named for one run', () => {
  it('are the only ones requested if they are reached directly', async () => {
    const service = await treeService([{ id: A }, { id: B }], [A, B]);
    expect(idsOf(await discover(service, [B]))).toEqual([B]);
    expect(service.asked()).toEqual([`${B} -`]);
  });

  it('may be below a manager', async () => {
    const found = await discover(await treeService([TREE], [TOP]), [B]);
    expect(loginsOf(found)).toEqual([[B, TOP]]);
  });

  it.each([
    ['does not exist', '5555', {}, 'No such account: 5555. Accessible accounts: 1001, 1002, 1003.'],
    ['is a manager', SUB, {}, `${SUB} is a manager account without statistics. Name accounts below it.`],
    ['is not in use', C, {}, 'These accounts are not active at the service: 1003 (SUSPENDED).'],
    ['is excluded', A, { ADS_EXCLUDE_CUSTOMER_IDS: A }, 'Account 1001 is excluded by ads.exclude_customer_ids.'],
  ])('are refused with the reason if one %s', async (_, id, env, message) => {
    const work = discover(await treeService([TREE], [TOP]), [customerId(id)], { env });
    await expect(work).rejects.toMatchObject({ name: 'InputError', message });
  });

  it('fail, instead of being refused, if one may be below a manager that could not be read', async () => {
    const service = await treeService([{ id: A }, TREE], [TOP, D], failing(TOP));
    const found = await discover(service, [B]);
    expect(found.accounts).toMatchObject([
      {
        customerId: B,
        failure: `The account was not found, and ${D}, ${TOP} could not be read.`,
      },
    ]);
  });
});
