import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { createTokenSource } from '../../../src/services/ads/access-token.ts';
import { readCampaignBudgets, readCurrencyUnits, readCustomer } from '../../../src/services/ads/read-account.ts';
import { failureOf } from '../../http/test-client.ts';
import { EUR, freshSandbox, ownBudget } from '../../sandbox/sandbox-client.ts';
import { endless, stubServer } from '../../support/stub-server.ts';
import { CUSTOMER, connectTo, connectToSandbox, errorBody } from './ads-client.ts';

async function serviceOf(status: number, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { url, requests } = await stubServer((_, response) => response.writeHead(status).end(text));
  return { ads: connectTo(url), requests };
}

const rows = (...results: readonly unknown[]) => [{ results }];

describe('an account', () => {
  const ask = async (body: unknown, status = 200) => readCustomer((await serviceOf(status, body)).ads, CUSTOMER);

  it('has its name, currency and time zone in the sandbox', async () => {
    const sandbox = await freshSandbox();
    const account = sandbox.market.accounts.find((candidate) => candidate.customerId === EUR);
    expect(await readCustomer(connectToSandbox(sandbox), customerId(EUR))).toEqual({
      name: account?.name,
      currency: 'EUR',
      timeZone: account?.timeZone,
    });
  });

  const nothing = { name: undefined, currency: undefined, timeZone: undefined };
  it.each([
    ['without rows', [], nothing],
    ['without values', rows({ customer: {} }), nothing],
    [
      'with unknown members',
      rows({ customer: { id: '1', x: 1, currencyCode: 'EUR' } }),
      { ...nothing, currency: 'EUR' },
    ],
    ['in an invalid currency', rows({ customer: { currencyCode: 'euro' } }), nothing],
    [
      'in an invalid time zone',
      rows({ customer: { descriptiveName: 'A', timeZone: 'Mars/Base' } }),
      { ...nothing, name: 'A' },
    ],
  ])('may be told in part: %s', async (_, body, value) => {
    expect(await ask(body)).toEqual(value);
  });
});

/** Repeats what was sent, and is as long as a page. */
const HOSTILE_NAME = `Sent Bearer access-token-1 ${'and more '.repeat(1000)}`;
const SHOWN_NAME = /^Sent Bearer \[redacted\] and more .*…$/;

it('an account’s name repeats no secret and has a bounded length', async () => {
  const sent = rows({ customer: { descriptiveName: HOSTILE_NAME } });
  const shown = (await readCustomer((await serviceOf(200, sent)).ads, CUSTOMER))?.name;
  expect(shown).toMatch(SHOWN_NAME);
  expect(shown?.length).toBeLessThanOrEqual(500);
});

describe('the budgets of an account', () => {
  const ask = async (body: unknown) => readCampaignBudgets((await serviceOf(200, body)).ads, CUSTOMER);
  const name = 'customers/1234567890/campaignBudgets/5';

  it('have campaigns with names without secrets and of bounded length', async () => {
    const campaign = { id: '7', name: HOSTILE_NAME, campaignBudget: name };
    const shown = (await ask(rows({ campaign, campaignBudget: { amountMicros: '1000000' } })))?.[0]?.campaignName;
    expect(shown).toMatch(SHOWN_NAME);
    expect(shown?.length).toBeLessThanOrEqual(500);
  });

  it('come from the sandbox, each with its campaigns', async () => {
    const sandbox = await freshSandbox();
    const account = sandbox.market.accounts.find((candidate) => candidate.customerId === EUR);
    const read = await readCampaignBudgets(connectToSandbox(sandbox), customerId(EUR));
    const found = (read ?? []).map((row) => [row.campaignId, row.budgetId, row.amount]);
    const declared = account?.budgets.flatMap((budget) =>
      budget.campaignIds.map((campaign) => [campaign, budget.budgetId, budget.amountMicros]),
    );
    expect(found.sort()).toEqual(declared?.sort());
  });

  it('B5: have exact amounts of any size', async () => {
    const body = rows(
      {
        campaign: { id: '1', name: 'A', campaignBudget: name },
        campaignBudget: { amountMicros: '9223372036854775807' },
      },
      { campaign: { id: '2' }, campaignBudget: { resourceName: name, amountMicros: '9007199254740993' } },
      { campaign: { id: 3 }, campaignBudget: { id: '6', amountMicros: 7_000_000 } },
    );
    expect(await ask(body)).toEqual(
      [
        { campaignId: '1', campaignName: 'A', budgetId: '5', amount: 9223372036854775807n },
        { campaignId: '2', campaignName: undefined, budgetId: '5', amount: 9007199254740993n },
        { campaignId: '3', campaignName: undefined, budgetId: '6', amount: 7_000_000n },
      ].map((record) => ({ ...record, total: undefined, campaignStatus: undefined, removed: undefined })),
    );
  });

  it('are kept and marked if removed', async () => {
    const sandbox = await freshSandbox();
    const { budgetId, campaignIds } = ownBudget(sandbox, EUR);
    sandbox.removeBudget(EUR, budgetId);
    const records = (await readCampaignBudgets(connectToSandbox(sandbox), customerId(EUR))) ?? [];
    expect(records.filter(({ removed }) => removed)).toMatchObject([{ budgetId, campaignId: campaignIds[0] }]);
    expect(records.length).toBeGreaterThan(1);
  });

  it('distinguish a removed campaign from its budget', async () => {
    const campaign = { id: '1', campaignBudget: name, status: 'REMOVED' };
    expect(await ask(rows({ campaign, campaignBudget: { amountMicros: '1', status: 'ENABLED' } }))).toMatchObject([
      { campaignStatus: 'REMOVED', removed: false },
    ]);
  });

  it('are read without their status if the service refuses it; then removal is unknown', async () => {
    const body = rows({ campaign: { id: '1', campaignBudget: name }, campaignBudget: { amountMicros: '1' } });
    const { url, requests } = await stubServer((request, response) => {
      const refused = JSON.parse(request.body).query.includes('status');
      response.writeHead(refused ? 400 : 200).end(JSON.stringify(refused ? errorBody(400, 'INVALID_ARGUMENT') : body));
    });
    expect(await readCampaignBudgets(connectTo(url), CUSTOMER)).toMatchObject([
      { amount: 1n, removed: undefined, campaignStatus: undefined },
    ]);
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['none', {}],
    ['one beyond int64', { amountMicros: '9223372036854775808' }],
  ])('are known without an amount where the service shows %s', async (_, campaignBudget) => {
    const answer = await ask(rows({ campaign: { id: '1', campaignBudget: name }, campaignBudget }));
    expect(answer).toMatchObject([{ campaignId: '1', budgetId: '5', amount: undefined, total: undefined }]);
  });

  it.each([
    ['its period', { period: 'CUSTOM_PERIOD' }, undefined],
    ['its period, beside a daily amount', { period: 'CUSTOM_PERIOD', amountMicros: '9000000' }, undefined],
    ['its total', { totalAmountMicros: '7000000', amountMicros: '0' }, 7_000_000n],
    ['both', { period: 'CUSTOM_PERIOD', totalAmountMicros: '7000000' }, 7_000_000n],
  ])('are total budgets without a daily amount where the service shows %s', async (_, campaignBudget, amount) => {
    const answer = await ask(rows({ campaign: { id: '1', campaignBudget: name }, campaignBudget }));
    expect(answer).toMatchObject([{ budgetId: '5', amount: undefined, total: { amount } }]);
  });

  it('are daily where the service shows the period DAILY and a total of zero', async () => {
    const campaignBudget = { period: 'DAILY', amountMicros: '9000000', totalAmountMicros: '0' };
    const answer = await ask(rows({ campaign: { id: '1', campaignBudget: name }, campaignBudget }));
    expect(answer).toMatchObject([{ amount: 9_000_000n, total: undefined }]);
  });

  it.each([
    ['without a budget', { campaign: { id: '1' } }],
    [
      'of another account',
      {
        campaign: { id: '1', campaignBudget: 'customers/1/campaignBudgets/5' },
        campaignBudget: { amountMicros: '1' },
      },
    ],
  ])('leave out a campaign that cannot be changed: %s', async (_, row) => {
    expect(await ask(rows(row))).toEqual([]);
  });

  it.each([
    ['a campaign without an id', { campaign: {} }, 'campaign.id'],
    ['a campaign whose id is not a number', { campaign: { id: 'x' } }, 'campaign.id'],
    ['a campaign whose id is zero', { campaign: { id: '0' } }, 'campaign.id'],
    ['a campaign whose id is negative', { campaign: { id: '-7' } }, 'campaign.id'],
    ['an id too large for a number', { campaign: { id: 2 ** 60 } }, 'campaign.id'],
    [
      'a budget whose id is zero',
      { campaign: { id: '1' }, campaignBudget: { id: '0', amountMicros: '1' } },
      'campaignBudget.id',
    ],
    [
      'an amount with a fraction',
      { campaign: { id: '1' }, campaignBudget: { amountMicros: 1.5 } },
      'campaignBudget.amountMicros',
    ],
    ['a row that is not an object', 7, ''],
  ])('are not guessed from odd rows: %s', async (_, row, place) => {
    const error = await failureOf(ask(rows(row)));
    expect(error).toMatchObject({ status: 'MALFORMED', transient: false });
    expect(error.message).toContain(`has an invalid ${place}`);
  });

  it('are not guessed from rows that are not JSON', async () => {
    expect(await failureOf(ask('[{"results":[{"a":1},]}]'))).toMatchObject({ status: 'MALFORMED' });
  });
});

describe.each([
  ['an account', readCustomer],
  ['the budgets', readCampaignBudgets],
])('%s', (_, read) => {
  it.each([
    ['refuses the query', 400, errorBody(400, 'INVALID_ARGUMENT'), 'query'],
    ['refuses the query inside the stream', 200, [errorBody(400, 'INVALID_ARGUMENT')], 'query'],
    ['does not know the path', 404, errorBody(404, 'NOT_FOUND'), 'way'],
    ['does not have the operation', 501, '{"error":{"code":501}}', 'way'],
  ])('is not offered by a service that %s', async (_case, status, body, error) => {
    const { ads, requests } = await serviceOf(status, body);
    expect(await read(ads, CUSTOMER)).toBeUndefined();
    // Only a refusal of the query can be about one of its fields.
    expect(requests).toHaveLength(read === readCampaignBudgets && error === 'query' ? 2 : 1);
  });

  it.each([
    ['forbids it', 403, errorBody(403, 'PERMISSION_DENIED'), 'PERMISSION_DENIED', 1],
    ['refuses the token', 401, errorBody(401, 'UNAUTHENTICATED'), 'UNAUTHENTICATED', 1],
    ['is unavailable', 503, '<html>', 'HTML', 3],
    ['is replaced by a page with 404', 404, '<html>', 'HTML', 1],
    ['breaks off', 200, '[{"results":[', 'TRUNCATED', 3],
  ])('cannot be read from a service that %s', async (_case, status, body, word, tries) => {
    const { ads, requests } = await serviceOf(status, body);
    expect(await failureOf(read(ads, CUSTOMER))).toMatchObject({ status: word });
    expect(requests).toHaveLength(tries);
  });

  it.each([400, 404, 501])('cannot be read without a token: %i of the token endpoint', async (status) => {
    const { ads, requests } = await serviceOf(status, '{"error":"invalid_grant"}');
    const credentials = { clientId: 'a', clientSecret: 'b', refreshToken: 'c', tokenUrl: `${ads.url}/token` };
    const tokens = createTokenSource({ kind: 'refresh_token', ...credentials }, ads);
    expect(await failureOf(read({ ...ads, tokens }, CUSTOMER))).toMatchObject({ httpStatus: status });
    expect(requests.map(({ path }) => path)).toEqual(['/token']);
  });

  it('cannot be read from an endless answer, and is not requested again', async () => {
    let closed: Promise<unknown> | undefined;
    const { url, requests } = await stubServer((_, response) => {
      closed = once(response, 'close');
      endless(response, `{"results":[{"campaign":{"id":"1","name":"${'x'.repeat(100_000)}"},"customer":{}}]}`);
    });
    expect(await failureOf(read(connectTo(url), CUSTOMER))).toMatchObject({ status: 'TOO_LARGE' });
    expect(requests).toHaveLength(1);
    await closed;
  });
});

describe('the units of currencies', () => {
  const unit = (code: string, billableUnitMicros?: unknown) => ({ currencyConstant: { code, billableUnitMicros } });
  const ask = async (body: unknown, status = 200) => readCurrencyUnits((await serviceOf(status, body)).ads, CUSTOMER);

  it('are read by code, without those that cannot be', async () => {
    const body = rows(unit('EUR', '10000'), unit('IDR', '1000000'), unit('XXX'), unit('YYY', '0'), unit('ZZZ', '-1'));
    expect(await ask(body)).toEqual(
      new Map([
        ['EUR', 10_000n],
        ['IDR', 1_000_000n],
      ]),
    );
  });

  it('are not offered by every service', async () => {
    expect(await ask(errorBody(400, 'INVALID_ARGUMENT'), 400)).toBeUndefined();
  });
});
