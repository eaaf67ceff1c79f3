import './protocol-definitions.ts';
import { describe, expect, it } from 'vitest';
import { budgetId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { mutateBody } from '../../src/services/ads/mutate-budgets.ts';
import { EUR, freshSandbox, ownBudget } from '../sandbox/sandbox-client.ts';
import { installed } from './installed.ts';

// Loaded first, because it gives the fields the names that the clients need.

/** The result of a call; what else comes with it is of another kind of transport. */
type Call<Request, Response> = (request: Request) => Promise<[Response, ...unknown[]]>;

interface BudgetOperation {
  readonly updateMask: { readonly paths: readonly string[] };
  readonly update: { readonly resourceName: string; readonly amountMicros: string };
}
interface MutateRequest {
  readonly customerId: string;
  readonly operations: readonly BudgetOperation[];
  readonly partialFailure?: boolean;
  readonly validateOnly?: boolean;
  readonly responseContentType?: 'RESOURCE_NAME_ONLY';
}
interface MutateResponse {
  readonly results: readonly { readonly resourceName: string }[];
  readonly partialFailureError: { readonly code: number; readonly details: readonly Any[] } | null;
}
interface Any {
  readonly type_url: string;
  readonly value: unknown;
}
interface Idea {
  readonly text: string;
  readonly keywordIdeaMetrics: { readonly avgMonthlySearches: string; readonly competition: string };
}
interface Field {
  readonly name: string;
  readonly category: string;
  readonly filterable: boolean;
  readonly selectableWith: readonly string[];
}
interface Batch {
  readonly results: readonly { readonly campaign: { readonly id: string; readonly status: string } }[];
  readonly fieldMask: { readonly paths: readonly string[] };
}

interface Clients {
  readonly CampaignBudgetServiceClient: new (
    options: object,
  ) => { readonly mutateCampaignBudgets: Call<MutateRequest, MutateResponse> };
  readonly CustomerServiceClient: new (
    options: object,
  ) => { readonly listAccessibleCustomers: Call<object, { readonly resourceNames: readonly string[] }> };
  readonly KeywordPlanIdeaServiceClient: new (
    options: object,
  ) => { readonly generateKeywordIdeas: Call<object, readonly Idea[]> };
  readonly GoogleAdsFieldServiceClient: new (
    options: object,
  ) => {
    readonly searchGoogleAdsFields: Call<{ readonly query: string }, readonly Field[]>;
    readonly getGoogleAdsField: Call<{ readonly resourceName: string }, Field>;
  };
  readonly GoogleAdsServiceClient: new (
    options: object,
  ) => { searchStream(request: { readonly customerId: string; readonly query: string }): AsyncIterable<Batch> };
}

/**
 * Clients that the provider's own generator wrote from the definitions, over its REST transport: they choose method, path
 * and JSON by themselves. All that is ours is the address and the token.
 */
function generatedClients({ url, credentials }: Sandbox) {
  const { hostname, port } = new URL(url);
  const auth = {
    getClient: async () => auth,
    fetch: (address: string, { method, headers, body, signal }: RequestInit) => {
      const all = new Headers(headers);
      all.set('authorization', `Bearer ${credentials.accessToken}`);
      return fetch(address, { method, headers: all, body, signal } as RequestInit);
    },
  };
  const options = { fallback: true, protocol: 'http', apiEndpoint: hostname, port: Number(port), auth };
  const clients = installed<Clients>('google-ads-node');
  return {
    budgets: new clients.CampaignBudgetServiceClient(options),
    fields: new clients.GoogleAdsFieldServiceClient(options),
    customers: new clients.CustomerServiceClient(options),
    ideas: new clients.KeywordPlanIdeaServiceClient(options),
    reports: new clients.GoogleAdsServiceClient(options),
  };
}

const setAmount = (budget: string, amountMicros: string) => ({
  updateMask: { paths: ['amount_micros'] },
  update: { resourceName: `customers/${EUR}/campaignBudgets/${budget}`, amountMicros },
});

describe('the clients of the provider’s generator', () => {
  it.each([
    ['made', {}],
    ['made, with names asked for', { responseContentType: 'RESOURCE_NAME_ONLY' as const }],
    ['only validated', { validateOnly: true, responseContentType: 'RESOURCE_NAME_ONLY' as const }],
  ])('B1 to B5: send what we send for a budget change that is %s, to the same path', async (_, options) => {
    const sandbox = await freshSandbox();
    const { budgetId: budget, amountMicros: before } = ownBudget(sandbox, EUR);
    const { budgets } = generatedClients(sandbox);
    const operations = [setAmount(budget, '61500000')];
    const [answer] = await budgets.mutateCampaignBudgets({
      customerId: EUR,
      operations,
      partialFailure: true,
      validateOnly: false,
      ...options,
    });
    const tried = 'validateOnly' in options;
    const content = 'responseContentType' in options ? options.responseContentType : undefined;
    expect(answer.results.map(({ resourceName }) => resourceName)).toEqual(
      tried ? [] : [`customers/${EUR}/campaignBudgets/${budget}`],
    );
    expect(sandbox.budgetAmount(EUR, budget)).toBe(tried ? before : 61_500_000n);
    const [request] = sandbox.requests;
    const ours = mutateBody(
      customerId(EUR),
      [{ budget: budgetId(budget), amount: micros(61_500_000n) }],
      tried,
      content,
    );
    expect(request?.path.replace(/\?$/, '')).toBe(`/v25/customers/${EUR}/campaignBudgets:mutate`);
    expect(JSON.parse(request?.body ?? '')).toEqual(ours);
  });

  it('B4: read which of two budget changes was refused, and why', async () => {
    const sandbox = await freshSandbox();
    const { budgetId: budget } = ownBudget(sandbox, EUR);
    const operations = [setAmount('5', '61500000'), setAmount(budget, '61500000')];
    const { budgets } = generatedClients(sandbox);
    const [answer] = await budgets.mutateCampaignBudgets({ customerId: EUR, operations, partialFailure: true });
    expect(answer.results.map(({ resourceName }) => resourceName)).toEqual([
      '',
      `customers/${EUR}/campaignBudgets/${budget}`,
    ]);
    expect(answer.partialFailureError).toMatchObject({ code: 3, details: [{}] });
    expect(sandbox.budgetAmount(EUR, budget)).toBe(61_500_000n);
  });

  it('B12: read the refusal of a whole request, with status and operation', async () => {
    const sandbox = await freshSandbox();
    const { budgets } = generatedClients(sandbox);
    const refused = budgets.mutateCampaignBudgets({ customerId: EUR, operations: [setAmount('5', '61500000')] });
    await expect(refused).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining('has no campaign budget 5'),
      statusDetails: [
        {
          resourceType: 'type.googleapis.com/google.ads.googleads.v25.errors.GoogleAdsFailure',
          description: expect.stringContaining('"errorCode":{"mutateError":"RESOURCE_NOT_FOUND"}'),
        },
      ],
    });
  });

  it('B7: list the accounts', async () => {
    const sandbox = await freshSandbox();
    const [{ resourceNames }] = await generatedClients(sandbox).customers.listAccessibleCustomers({});
    expect(resourceNames).toEqual(sandbox.market.accounts.map((account) => `customers/${account.customerId}`));
  });

  it('B6: ask for keyword ideas', async () => {
    const sandbox = await freshSandbox();
    const { ideas } = generatedClients(sandbox);
    const [found] = await ideas.generateKeywordIdeas({ customerId: EUR, keywordSeed: { keywords: ['running shoes'] } });
    expect(found.map(({ text }) => text)).toContain('buy running shoes');
    expect(found[0]?.keywordIdeaMetrics).toMatchObject({ competition: expect.stringMatching(/^(LOW|MEDIUM|HIGH)$/) });
    expect(Number(found[0]?.keywordIdeaMetrics.avgMonthlySearches)).toBeGreaterThan(0);
  });

  it('read all fields, page by page, and one by its name', async () => {
    const sandbox = await freshSandbox();
    const { fields } = generatedClients(sandbox);
    const [found] = await fields.searchGoogleAdsFields({ query: 'SELECT name, category' });
    expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(['campaign', 'metrics.clicks']));
    expect(sandbox.requests.length).toBeGreaterThan(1);
    const [clicks] = await fields.getGoogleAdsField({ resourceName: 'googleAdsFields/metrics.clicks' });
    expect(clicks).toMatchObject({ name: 'metrics.clicks', category: 'METRIC', filterable: true });
    expect(clicks.selectableWith).toContain('segments.date');
  });

  it('B13, B14: read the stream batch by batch, and its refusal', async () => {
    const sandbox = await freshSandbox();
    const { reports } = generatedClients(sandbox);
    const batches: number[] = [];
    const query = 'SELECT campaign.id, campaign.status FROM campaign';
    for await (const { results, fieldMask } of reports.searchStream({ customerId: EUR, query })) {
      expect(fieldMask.paths).toEqual(['campaign.id', 'campaign.status']);
      batches.push(results.length);
    }
    expect(batches).toEqual([12]);
    const refused = async () => {
      for await (const _ of reports.searchStream({ customerId: EUR, query: 'SELECT' })) expect.unreachable();
    };
    await expect(refused()).rejects.toMatchObject({
      code: 3,
      statusDetails: [{ description: expect.stringContaining('UNEXPECTED_END_OF_QUERY') }],
    });
  });
});
