import { describe, expect, it } from 'vitest';
import { budgetId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { CODES } from '../../src/language/gaql/codes.ts';
import type { AdsConnection } from '../../src/services/ads/ads-connection.ts';
import { generateKeywordIdeas } from '../../src/services/ads/generate-keyword-ideas.ts';
import { listAccessibleCustomers, readClients } from '../../src/services/ads/list-accounts.ts';
import { type MutateOptions, mutateBudgets } from '../../src/services/ads/mutate-budgets.ts';
import { readFields } from '../../src/services/ads/read-fields.ts';
import { validateQuery } from '../../src/services/ads/validate-query.ts';
import { connectToSandbox } from '../apis/ads/ads-client.ts';
import { EUR, freshSandbox, JPY, ownBudget, setAmount, USD } from '../sandbox/sandbox-client.ts';
import { extractIn } from '../support/extract-in.ts';
import { fakeClock, fakePauses } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { liveEnvironment, NOON } from '../support/world.ts';
import { disagreements, operationOf } from './compare-exchange.ts';
import { roundTrip, VERSION } from './protocol-definitions.ts';
import { recordExchanges } from './record-exchanges.ts';

/** The sandbox, what was said to it so far, and our client's connection to it. */
async function recorded(options: Parameters<typeof freshSandbox>[0] = {}) {
  const sandbox = await freshSandbox(options);
  const { url, exchanges } = await recordExchanges(sandbox.url);
  const ads = { ...connectToSandbox(sandbox), url, version: VERSION };
  /** A request that our client does not make. */
  const ask = async (operation: string, body: object, customer = EUR) => {
    const headers = { authorization: `Bearer ${sandbox.credentials.accessToken}`, 'content-type': 'application/json' };
    const address = `${url}/${VERSION}/customers/${customer}${operation}`;
    await (await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  };
  return { sandbox, exchanges, ads, ask };
}

describe('our requests and answers survive a round trip through the definitions', () => {
  it('a whole extraction: every shipped query, every row of an account', async () => {
    const { sandbox, exchanges, ads } = await recorded();
    const env = { ...liveEnvironment(sandbox), ADS_URL: ads.url, ADS_VERSION: VERSION, ADS_CUSTOMER_IDS: EUR };
    const place = { folder: tempDir(), env, clock: fakeClock(NOON), pauses: fakePauses() };
    const { failures, slices } = await extractIn(place);
    expect(failures).toEqual([]);
    expect(exchanges.flatMap(disagreements)).toEqual([]);
    const froms = exchanges.flatMap(({ sent }) => / FROM (\w+)/.exec(sent)?.[1] ?? []);
    expect([...new Set(froms)].sort()).toEqual([
      'campaign',
      'campaign_budget',
      'currency_constant',
      'customer_client',
      'keyword_view',
    ]);
    const rows = exchanges.flatMap((exchange) =>
      operationOf(exchange) === ':searchStream' ? JSON.parse(exchange.answered).flatMap(resultsOf) : [],
    );
    expect(rows.length).toBeGreaterThan(slices.reduce((sum, slice) => sum + Number(slice.rows), 0));
  });

  it('a tree of managers, the account list, keyword ideas, query validation', async () => {
    const { exchanges, ads } = await recorded({ manager: true });
    const [root = customerId(EUR)] = (await listAccessibleCustomers(ads)).customers;
    expect(await readClients(ads, root)).toBeDefined();
    ads.logins.set(customerId(EUR), root);
    await generateKeywordIdeas(ads, customerId(EUR), ['running shoes', 'snœkers "x"']);
    expect(await validateQuery(ads, customerId(EUR), 'SELECT campaign.id FROM campaign')).toEqual({ kind: 'valid' });
    expect(exchanges.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(exchanges.flatMap(disagreements)).toEqual([]);
    expect(new Set(exchanges.map(operationOf)).size).toBe(4);
  });

  it('the list of all fields, page by page, and one field by its name', async () => {
    const { sandbox, exchanges, ads } = await recorded();
    const fields = await readFields(ads);
    expect(exchanges.length).toBeGreaterThan(1);
    expect(exchanges.flatMap(disagreements)).toEqual([]);
    for (const { name } of fields) {
      const headers = { authorization: `Bearer ${sandbox.credentials.accessToken}` };
      const one = await (await fetch(`${sandbox.url}/${VERSION}/googleAdsFields/${name}`, { headers })).json();
      expect(roundTrip('resources.GoogleAdsField', one)).toEqual(one);
    }
  });

  it.each<[sentence: string, options: MutateOptions, content: AdsConnection['responseContentType']]>([
    ['made', { validateOnly: false }, undefined],
    ['made, with names asked for', { validateOnly: false }, 'RESOURCE_NAME_ONLY'],
    ['made, with amounts asked for', { validateOnly: false }, 'MUTABLE_RESOURCE'],
    ['only validated', { validateOnly: true }, 'RESOURCE_NAME_ONLY'],
  ])('budget changes that are %s, one of them refused', async (_, options, responseContentType) => {
    const { sandbox, exchanges, ads } = await recorded();
    const mutations = [
      { budget: budgetId(ownBudget(sandbox, EUR).budgetId), amount: micros(9_223_372_036_854_770_000n) },
      { budget: budgetId('5'), amount: micros(10_000n) },
    ];
    const outcomes = await mutateBudgets({ ...ads, responseContentType }, customerId(EUR), mutations, options);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'failed']);
    expect(exchanges.flatMap(disagreements)).toEqual([]);
  });
});

describe('refusals follow the shape and names of the definitions', () => {
  it('every refused query of the list of codes', async () => {
    const { exchanges, ask } = await recorded();
    const wrongs = [...CODES.values()].filter(({ of = 'query' }) => of === 'query').map(({ wrong }) => wrong);
    for (const query of wrongs) await ask('/googleAds:searchStream', { query });
    await ask('/googleAds:searchStream', { query: 'x'.repeat(20) });
    await ask('/googleAds:search', { query: 'SELECT campaign.id FROM campaign LIMIT 0', validateOnly: true });
    await ask('/googleAds:search', { query: 'SELECT campaign.id FROM campaign' });
    const refused = exchanges.filter(({ status }) => status === 400);
    expect(refused.length).toBeGreaterThan(40);
    expect(refused.flatMap(disagreements)).toEqual([]);
  });

  it('every refused request for fields', async () => {
    const { sandbox, exchanges, ads } = await recorded();
    const headers = { authorization: `Bearer ${sandbox.credentials.accessToken}`, 'content-type': 'application/json' };
    for (const body of [{ query: 'SELECT nam' }, { query: 'x' }, { query: 'SELECT name', pageToken: 'x' }, {}]) {
      const url = `${ads.url}/${VERSION}/googleAdsFields:search`;
      await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    }
    expect(exchanges.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(exchanges.flatMap(disagreements)).toEqual([]);
  });

  const wrongMutates: [sentence: string, body: (budget: string) => object][] = [
    ['another budget', () => ({ operations: [setAmount(EUR, '5', '10000')] })],
    ["another account's budget", (id) => ({ operations: [setAmount(USD, id, '10000')] })],
    ['a malformed name', () => ({ operations: [setAmount('(1)', '5', '10000')] })],
    ['an amount below zero', (id) => ({ operations: [setAmount(EUR, id, '-10000')] })],
    ['an amount of zero', (id) => ({ operations: [setAmount(EUR, id, '0')] })],
    ['part of a cent', (id) => ({ operations: [setAmount(EUR, id, '10005')] })],
    ['no amount', (id) => ({ operations: [setAmount(EUR, id, undefined)] })],
    ['an invalid amount', (id) => ({ operations: [setAmount(EUR, id, '1.5')] })],
    ['no mask', (id) => ({ operations: [{ update: setAmount(EUR, id, '10000').update }] })],
    ['a mask of another field', (id) => ({ operations: [{ ...setAmount(EUR, id, '10000'), updateMask: 'name' }] })],
    ['an unknown member of an operation', (id) => ({ operations: [{ ...setAmount(EUR, id, '10000'), x: 1 }] })],
    ['an unknown member', (id) => ({ operations: [setAmount(EUR, id, '10000')], x: 1 })],
    ['an invalid flag', (id) => ({ operations: [setAmount(EUR, id, '10000')], validateOnly: 'yes' })],
    ['an invalid content type', (id) => ({ operations: [setAmount(EUR, id, '1')], responseContentType: 'ALL' })],
    ['no operations', () => ({ operations: [] })],
    ['too many operations', (id) => ({ operations: Array(10_001).fill(setAmount(EUR, id, '10000')) })],
  ];
  it.each(wrongMutates)('a budget change with %s', async (_, body) => {
    const { sandbox, exchanges, ask } = await recorded();
    await ask('/campaignBudgets:mutate', body(ownBudget(sandbox, EUR).budgetId));
    expect(exchanges.map(({ status }) => status)).toEqual([400]);
    // The request is the wrong one here.
    expect(exchanges.map((exchange) => ({ ...exchange, sent: '' })).flatMap(disagreements)).toEqual([]);
  });

  it('a removed budget, a manager’s metrics, an account that is disabled or reached the wrong way', async () => {
    const { sandbox, exchanges, ask } = await recorded({ manager: true });
    const { budgetId: removed } = ownBudget(sandbox, JPY);
    sandbox.removeBudget(JPY, removed);
    const ads = { ...connectToSandbox(sandbox), version: VERSION };
    const clients = await readClients(ads, (await listAccessibleCustomers(ads)).customers[0] ?? customerId(EUR));
    const ids = clients?.clients.map(({ customerId: id }) => id) ?? [];
    for (const id of ids) {
      await ask('/googleAds:searchStream', { query: 'SELECT metrics.clicks FROM customer' }, id);
      await ask('/campaignBudgets:mutate', { operations: [setAmount(JPY, removed, '1000000')] }, id);
    }
    await ask('/googleAds:searchStream', { query: 'SELECT campaign.id FROM campaign' }, '1');
    const statuses = new Set(exchanges.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([400, 403]);
    expect(exchanges.flatMap(disagreements)).toEqual([]);
  });
});

function resultsOf({ results = [] }: { readonly results?: readonly unknown[] }): readonly unknown[] {
  return results;
}
