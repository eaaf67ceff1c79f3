import { describe, expect, it } from 'vitest';
import { type Misbehaviour, refuse, treeService } from '../../support/tree-service.ts';
import { A, B, C, D, discover, failing, freshState, idsOf, loginsOf, SUB, TOP, TREE } from './discovery.ts';

describe('accounts below a manager', () => {
  it('cost two requests besides the list, whatever their number', async () => {
    const children = Array.from({ length: 40 }, (_, index) => ({ id: String(2000 + index) }));
    const service = await treeService([{ id: TOP, children }], [TOP]);
    const found = await discover(service);
    expect(found.accounts).toHaveLength(40);
    expect(found.accounts[39]).toMatchObject({ customerId: '2039', currency: 'EUR', timeZone: 'Europe/Berlin' });
    expect(service.requests).toHaveLength(3);
    expect(found.ads.operations.count).toBe(2);
  });

  it('are found level by level, in ascending order, without the managers', async () => {
    const found = await discover(await treeService([TREE], [TOP]));
    expect(idsOf(found)).toEqual([A, B, C]);
    expect(loginsOf(found)).toEqual([
      [A, TOP],
      [B, TOP],
      [C, TOP],
    ]);
  });

  it('are skipped with the service’s status if they are not in use, and recorded', async () => {
    const found = await discover(await treeService([TREE], [TOP]));
    expect(found.accounts.map(({ leftOut, failure }) => [leftOut, failure])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      ['SUSPENDED', undefined],
    ]);
    const rows = found.state.connection.prepare('SELECT customer_id, login_customer_id, status FROM account').all();
    expect(rows).toEqual([
      { customer_id: 1001n, login_customer_id: 9001n, status: 'ENABLED' },
      { customer_id: 1002n, login_customer_id: 9001n, status: 'ENABLED' },
      { customer_id: 1003n, login_customer_id: 9001n, status: 'SUSPENDED' },
    ]);
  });

  it('get their own request only for facts that the tree lacks', async () => {
    const service = await treeService([{ id: TOP, children: [{ id: A, currency: null }, { id: B }] }], [TOP]);
    const found = await discover(service);
    expect(found.accounts[0]).toMatchObject({ customerId: A, currency: 'EUR', timeZone: 'Europe/Berlin' });
    expect(service.asked()).toEqual([`${TOP} -`, `${A} ${TOP}`]);
    const told = await treeService([{ id: TOP, children: [{ id: A, currency: null }] }], [TOP]);
    await discover(told, [], { config: `accounts: { ${A}: { currency: USD, time_zone: UTC } }` });
    expect(told.asked()).toEqual([`${TOP} -`]);
  });

  it('fail alone if facts that the tree lacks cannot be read', async () => {
    const service = await treeService(
      [{ id: TOP, children: [{ id: A, currency: null }, { id: B }] }],
      [TOP],
      failing(A),
    );
    const { accounts } = await discover(service);
    expect(accounts.map(({ failure }) => failure)).toEqual([expect.stringContaining('503'), undefined]);
  });

  it('appear once, as direct, if they are also reached directly', async () => {
    const service = await treeService([TREE, { id: D }], [TOP, A, D]);
    const found = await discover(service);
    expect(loginsOf(found)).toEqual([
      [A, A],
      [B, TOP],
      [C, TOP],
      [D, D],
    ]);
    expect(found.accounts.map(({ loginCustomerId }) => loginCustomerId)).toEqual([undefined, TOP, TOP, undefined]);
  });

  it('are reached through the manager if direct access fails', async () => {
    const service = await treeService([TREE], [TOP, A], failing(A));
    const found = await discover(service);
    expect(loginsOf(found)[0]).toEqual([A, TOP]);
    expect(found.accounts[0]?.failure).toBeUndefined();
  });

  it('are reached through the nearer of two managers, whatever the order of the list', async () => {
    for (const accessible of [
      [TOP, SUB],
      [SUB, TOP],
    ]) {
      const found = await discover(await treeService([TREE], accessible));
      expect(loginsOf(found)).toEqual([
        [A, TOP],
        [B, SUB],
        [C, SUB],
      ]);
    }
  });

  it('are all reached through the configured login customer, whose tree is requested first', async () => {
    const service = await treeService([TREE], ['7']);
    const found = await discover(service, [], { env: { ADS_LOGIN_CUSTOMER_ID: TOP } });
    expect(service.asked()).toHaveLength(1);
    expect(loginsOf(found).map(([, login]) => login)).toEqual([TOP, TOP, TOP]);
  });

  it('come from the list if the login customer’s tree may not be seen', async () => {
    const service = await treeService([{ id: A }], [A]);
    const found = await discover(service, [], { env: { ADS_LOGIN_CUSTOMER_ID: TOP } });
    expect(service.asked()).toEqual([`${TOP} -`, `${A} ${TOP}`]);
    expect(idsOf(found)).toEqual([A]);
  });

  it('are those below the managers in the settings, requested through the login customer', async () => {
    const service = await treeService([TREE, { id: D }], []);
    const env = { ADS_CUSTOMER_IDS: `${SUB},${D},${SUB}`, ADS_LOGIN_CUSTOMER_ID: TOP };
    expect(idsOf(await discover(service, [], { env }))).toEqual([B, C, D]);
    expect(service.asked().sort()).toEqual([`${D} ${TOP}`, `${SUB} ${TOP}`]);
  });
});

describe('accounts that cannot be read', () => {
  it.each([
    ['forbidden', 403, 'PERMISSION_DENIED'],
    ['broken', 500, 'INTERNAL'],
    ['busy', 429, 'RESOURCE_EXHAUSTED'],
  ])('fail alone if they are %s, and are tried again', async (_, code, status) => {
    let broken = true;
    const service = await treeService([{ id: A }, { id: B }], [A, B], (customer, __, response) => {
      if (!broken || customer !== A) return false;
      refuse(response, code, status);
      return true;
    });
    const { accounts, state } = await discover(service);
    expect(accounts.map(({ customerId: id, failure }) => [id, failure === undefined])).toEqual([
      [A, false],
      [B, true],
    ]);
    expect(state.connection.prepare('SELECT customer_id FROM account').all()).toEqual([{ customer_id: 1002n }]);
    broken = false;
    const next = await discover(service, [], { state });
    expect(next.accounts.map(({ failure }) => failure)).toEqual([undefined, undefined]);
  });

  it('are named with the accounts that were read through them before', async () => {
    const state = await freshState();
    await discover(await treeService([TREE], [TOP]), [], { state });
    const found = await discover(await treeService([TREE, { id: D }], [TOP, D], failing(TOP)), [], { state });
    expect(found.accounts.map(({ customerId: id, failure }) => [id, failure])).toEqual([
      [A, `The manager account ${TOP} could not be read.`],
      [B, `The manager account ${TOP} could not be read.`],
      [D, undefined],
      [TOP, expect.stringContaining('UNAVAILABLE (503)')],
    ]);
    expect(found.accounts[0]).toMatchObject({ currency: 'EUR', timeZone: 'Europe/Berlin' });
  });

  it('do not drop the login customer’s tree after a temporary failure', async () => {
    const service = await treeService([TREE, { id: D }], [D], failing(TOP));
    const found = await discover(service, [], { env: { ADS_LOGIN_CUSTOMER_ID: TOP } });
    expect(found.accounts.map(({ customerId: id, failure }) => [id, failure === undefined])).toEqual([[TOP, false]]);
  });

  it('are skipped, without a failure, if the service says that they are not enabled', async () => {
    const closed: Misbehaviour = (customer, _, response) => {
      if (customer !== A) return false;
      refuse(response, 403, 'PERMISSION_DENIED', { authorizationError: 'CUSTOMER_NOT_ENABLED' });
      return true;
    };
    const alone = await discover(await treeService([{ id: A }], [A], closed));
    expect(alone.accounts).toMatchObject([{ leftOut: 'not enabled', failure: undefined }]);
    const below = { id: TOP, children: [{ id: A, status: 'CANCELED' }] };
    const named = await discover(await treeService([below], [A, TOP], closed));
    expect(named.accounts).toMatchObject([{ leftOut: 'CANCELED', name: 'Account 1001' }]);
  });
});

describe('a service without trees', () => {
  const without: Misbehaviour = (_, { body }, response) => {
    if (!body.includes('customer_client')) return false;
    refuse(response, 400, 'INVALID_ARGUMENT', { queryError: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE' });
    return true;
  };

  it('has its accounts read one by one', async () => {
    const found = await discover(await treeService([{ id: A }, { id: B }], [A, B], without));
    expect(found.accounts).toMatchObject([
      { customerId: A, name: 'Account 1001', currency: 'EUR', timeZone: 'Europe/Berlin', failure: undefined },
      { customerId: B, failure: undefined },
    ]);
    expect(found.ads.operations.count).toBe(5);
  });

  it('uses the settings for the facts of an account', async () => {
    const silent = await treeService([{ id: A }], [A], (_, __, response) => {
      refuse(response, 404, 'NOT_FOUND');
      return true;
    });
    const { accounts } = await discover(silent, [], { config: `accounts: { ${A}: { currency: USD } }` });
    expect(accounts).toMatchObject([{ currency: 'USD', timeZone: undefined, failure: undefined, leftOut: undefined }]);
  });
});
