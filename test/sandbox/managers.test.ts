import { describe, expect, it } from 'vitest';
import { MANAGER, SUB_MANAGER } from '../../src/sandbox/ads/account-tree.ts';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { answerOf, EUR, freshSandbox, JPY, post, rowsOf, search, USD } from './sandbox-client.ts';

const CLIENTS =
  'SELECT customer_client.id, customer_client.level, customer_client.manager, customer_client.status, ' +
  'customer_client.hidden, customer_client.client_customer FROM customer_client';
const CAMPAIGNS = 'SELECT campaign.id FROM campaign';
const CLICKS = 'SELECT customer.id, metrics.clicks FROM customer WHERE segments.date DURING LAST_7_DAYS';

const askAs = (sandbox: Sandbox, customer: string, login: string, query: string) =>
  post(sandbox, `/v25/customers/${customer}/googleAds:searchStream`, { query }, { 'login-customer-id': login });

async function accessible({ url, credentials }: Sandbox): Promise<string[]> {
  const headers = { authorization: `Bearer ${credentials.accessToken}` };
  return (await answerOf(await fetch(`${url}/v25/customers:listAccessibleCustomers`, { headers }))).json.resourceNames;
}

const codeOf = (answer: { readonly json: unknown }) => {
  const [body] = [answer.json].flat() as [{ error: { details: { errors: { errorCode: object }[] }[] } }];
  return body.error.details[0]?.errors[0]?.errorCode;
};

describe('without managers', () => {
  it('an account answers only for itself', async () => {
    const sandbox = await freshSandbox();
    expect(await rowsOf(sandbox, EUR, CLIENTS)).toEqual([
      {
        customerClient: {
          resourceName: `customers/${EUR}/customerClients/${EUR}`,
          clientCustomer: `customers/${EUR}`,
          id: EUR,
          level: '0',
          manager: false,
          status: 'ENABLED',
          hidden: false,
        },
      },
    ]);
    expect(await accessible(sandbox)).toHaveLength(4);
  });

  it('the specification mode has no manager resource and no managers', async () => {
    const sandbox = await freshSandbox({ strict: true, manager: true });
    expect(codeOf(await search(sandbox, EUR, CLIENTS))).toEqual({
      queryError: expect.stringMatching(/BAD_RESOURCE|UNRECOGNIZED/),
    });
    expect(await accessible(sandbox)).toHaveLength(4);
    expect((await search(sandbox, EUR, 'SELECT campaign.id FROM keyword_view')).status).toBe(200);
  });
});

describe('below managers', () => {
  it('the credentials reach one manager, which lists the whole tree', async () => {
    const sandbox = await freshSandbox({ manager: true });
    expect(await accessible(sandbox)).toEqual([`customers/${MANAGER}`]);
    const rows = await rowsOf(sandbox, MANAGER, CLIENTS);
    const clients = rows.map(({ customerClient: { id, level, manager, status, hidden } }) => [
      id,
      level,
      manager,
      status,
      hidden,
    ]);
    expect(clients).toHaveLength(8);
    expect(clients).toContainEqual([MANAGER, '0', true, 'ENABLED', false]);
    expect(clients).toContainEqual([SUB_MANAGER, '1', true, 'ENABLED', false]);
    expect(clients.filter(([, level]) => level === '2')).toHaveLength(3);
    expect(clients.map(([, , , status]) => status).filter((status) => status !== 'ENABLED')).toHaveLength(2);
    const some = `${CLIENTS} WHERE customer_client.status = 'ENABLED' AND customer_client.manager = FALSE`;
    expect(await rowsOf(sandbox, MANAGER, some)).toHaveLength(4);
  });

  it('refuses an account unless a manager above it is named', async () => {
    const sandbox = await freshSandbox({ manager: true });
    for (const customer of [EUR, USD, JPY, SUB_MANAGER]) {
      const answer = await search(sandbox, customer, CAMPAIGNS);
      expect([answer.status, codeOf(answer)]).toEqual([403, { authorizationError: 'USER_PERMISSION_DENIED' }]);
      expect((await askAs(sandbox, customer, MANAGER, CAMPAIGNS)).status).toBe(200);
    }
    const [below] = (await askAs(sandbox, SUB_MANAGER, MANAGER, CLIENTS)).json[0].results.slice(1);
    const id = below.customerClient.id;
    expect((await askAs(sandbox, id, SUB_MANAGER, CAMPAIGNS)).status).toBe(200);
    for (const login of [id, '1', 'x']) expect((await askAs(sandbox, id, login, CAMPAIGNS)).status).toBe(403);
    expect((await askAs(sandbox, MANAGER, SUB_MANAGER, CAMPAIGNS)).status).toBe(403);
  });

  it('a manager has no metrics', async () => {
    const sandbox = await freshSandbox({ manager: true });
    const answer = await search(sandbox, MANAGER, CLICKS);
    expect([answer.status, codeOf(answer)]).toEqual([400, { queryError: 'REQUESTED_METRICS_FOR_MANAGER' }]);
    expect(await rowsOf(sandbox, MANAGER, 'SELECT customer.descriptive_name FROM customer')).toHaveLength(1);
  });

  it('refuses an account that is not enabled', async () => {
    const sandbox = await freshSandbox({ manager: true });
    const some = `${CLIENTS} WHERE customer_client.status IN ('SUSPENDED', 'CANCELED')`;
    for (const { customerClient } of await rowsOf(sandbox, MANAGER, some)) {
      const answer = await askAs(sandbox, customerClient.id, MANAGER, CAMPAIGNS);
      expect([answer.status, codeOf(answer)]).toEqual([403, { authorizationError: 'CUSTOMER_NOT_ENABLED' }]);
    }
  });
});
