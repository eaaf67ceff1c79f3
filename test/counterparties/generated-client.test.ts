import { describe, expect, it } from 'vitest';
import { mutateBody } from '../../src/apis/ads/mutate-budgets.ts';
import { budgetId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { EUR, freshSandbox, ownBudget } from '../sandbox/sandbox-client.ts';
import { generatedClients } from './generated-client.ts';

const setAmount = (budget: string, amountMicros: string) => ({
  updateMask: { paths: ['amount_micros'] },
  update: { resourceName: `customers/${EUR}/campaignBudgets/${budget}`, amountMicros },
});

describe('the clients of the provider’s generator', () => {
  it.each([
    ['made', {}],
    ['made, with names asked for', { responseContentType: 'RESOURCE_NAME_ONLY' as const }],
    ['only tried', { validateOnly: true, responseContentType: 'RESOURCE_NAME_ONLY' as const }],
  ])('B1 to B5: send for a budget change that is %s what we send, to the same path', async (_, options) => {
    const sandbox = await freshSandbox();
    const { budgetId: budget, amountMicros: before } = ownBudget(sandbox, EUR);
    const { budgets } = generatedClients(sandbox);
    const operations = [setAmount(budget, '61500000')];
    const [answer] = await budgets.mutateCampaignBudgets({
      ...{ customerId: EUR, operations, partialFailure: true, validateOnly: false },
      ...options,
    });
    const tried = 'validateOnly' in options;
    expect(answer.results.map(({ resourceName }) => resourceName)).toEqual(
      tried ? [] : [`customers/${EUR}/campaignBudgets/${budget}`],
    );
    expect(sandbox.budgetAmount(EUR, budget)).toBe(tried ? before : 61_500_000n);
    const [request] = sandbox.requests;
    const ours = mutateBody(customerId(EUR), [{ budget: budgetId(budget), amount: micros(61_500_000n) }], {
      ...{ validateOnly: tried, namesOnly: 'responseContentType' in options },
    });
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

  it('B12: read the refusal of a request as a whole, with its status and the operation it names', async () => {
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
