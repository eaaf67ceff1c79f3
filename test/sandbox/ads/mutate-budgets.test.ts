import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { EUR, freshSandbox, JPY, mutate, ownBudget, post, rowsOf, setAmount, USD } from '../sandbox-client.ts';

describe('campaignBudgets:mutate', () => {
  it('B1: sets an amount and answers with the resource name', async () => {
    const sandbox = await freshSandbox();
    const { budgetId } = ownBudget(sandbox, EUR);
    const answer = await mutate(sandbox, EUR, {
      operations: [setAmount(EUR, budgetId, '61500000')],
      responseContentType: 'RESOURCE_NAME_ONLY',
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ results: [{ resourceName: `customers/${EUR}/campaignBudgets/${budgetId}` }] });
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(61_500_000n);
    const query = `SELECT campaign_budget.amount_micros FROM campaign_budget WHERE campaign_budget.id = ${budgetId}`;
    expect(await rowsOf(sandbox, EUR, query)).toMatchObject([{ campaignBudget: { amountMicros: '61500000' } }]);
  });

  it('B5: keeps an amount near the end of int64 exact', async () => {
    const sandbox = await freshSandbox();
    const { budgetId } = ownBudget(sandbox, EUR);
    await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '9223372036854770000')] });
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(9_223_372_036_854_770_000n);
    const query = `SELECT campaign_budget.amount_micros FROM campaign_budget WHERE campaign_budget.id = ${budgetId}`;
    expect((await rowsOf(sandbox, EUR, query))[0].campaignBudget.amountMicros).toBe('9223372036854770000');
  });

  it.each<[sentence: string, amount: unknown, code: object]>([
    ['B5: a JSON number', 61_500_000, { fieldError: 'INVALID_VALUE' }],
    ['B5: text that is not an integer', '61.5', { fieldError: 'INVALID_VALUE' }],
    ['B5: text beyond int64', '9223372036854775808', { fieldError: 'INVALID_VALUE' }],
    ['B5: no amount', undefined, { fieldError: 'REQUIRED' }],
    ['a negative amount', '-10000', { campaignBudgetError: 'NEGATIVE_MONEY_AMOUNT' }],
    ['zero', '0', { campaignBudgetError: 'BUDGET_BELOW_PER_DAY_MINIMUM' }],
    ['a fraction of a cent', '61505000', { campaignBudgetError: 'NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT' }],
  ])('refuses %s and changes nothing', async (_, amount, code) => {
    const sandbox = await freshSandbox();
    const { budgetId, amountMicros } = ownBudget(sandbox, EUR);
    const answer = await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, amount)] });
    expect(answer.status).toBe(400);
    expect(answer.json.error.details[0].errors).toEqual([
      {
        errorCode: code,
        message: expect.any(String),
        location: {
          fieldPathElements: [
            { fieldName: 'operations', index: 0 },
            { fieldName: 'update' },
            { fieldName: 'amount_micros' },
          ],
        },
      },
    ]);
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(amountMicros);
  });

  it('refuses a fraction of a yen: the currency sets the smallest unit', async () => {
    const sandbox = await freshSandbox();
    const { budgetId } = ownBudget(sandbox, JPY);
    const answer = await mutate(sandbox, JPY, { operations: [setAmount(JPY, budgetId, '6000010000')] });
    expect(answer.json.error.message).toContain('a multiple of 1000000, the smallest unit of JPY');
  });

  it.each(['IDR', 'HUF', 'TWD', 'COP', 'KRW', 'VND', 'CLP'])(
    'refuses a fraction of %s, and says so in its list',
    async (currency) => {
      const sandbox = await freshSandbox({ currency });
      const { budgetId } = ownBudget(sandbox, EUR);
      const answer = await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '29543450000')] });
      expect(answer.json.error.details[0].errors[0].errorCode).toEqual({
        campaignBudgetError: 'NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT',
      });
      const query = `SELECT currency_constant.code, currency_constant.billable_unit_micros FROM currency_constant
      WHERE currency_constant.code IN ('${currency}', 'EUR')`;
      expect((await rowsOf(sandbox, EUR, query)).map(({ currencyConstant }) => currencyConstant)).toContainEqual({
        resourceName: `currencyConstants/${currency}`,
        code: currency,
        billableUnitMicros: '1000000',
      });
    },
  );

  it.each<[sentence: string, body: (budget: string) => object]>([
    [
      'B2: an update mask in camel case',
      (id) => ({ operations: [{ ...setAmount(EUR, id, '10000'), updateMask: 'amountMicros' }] }),
    ],
    ['B2: no update mask', (id) => ({ operations: [{ update: setAmount(EUR, id, '10000').update }] })],
    ["B3: another customer's budget", (id) => ({ operations: [setAmount(USD, id, '10000')] })],
    ['B3: a budget that does not exist', () => ({ operations: [setAmount(EUR, '5', '10000')] })],
    ['B3: a malformed resource name', () => ({ operations: [setAmount('(1)', '5', '10000')] })],
    ['a misspelt member', (id) => ({ operations: [{ ...setAmount(EUR, id, '10000'), update_mask: 'x' }] })],
    ['B1: no operations', () => ({ operations: [] })],
    ['B1: operations that are not an array', () => ({ operations: {} })],
    ['B1: an operation that is not an object', () => ({ operations: [7] })],
    ['B1: more than 10,000 operations', (id) => ({ operations: Array(10_001).fill(setAmount(EUR, id, '10000')) })],
    ['B4: a flag that is not a boolean', (id) => ({ operations: [setAmount(EUR, id, '10000')], validateOnly: 'true' })],
    [
      'B4: another response content type',
      (id) => ({ operations: [setAmount(EUR, id, '10000')], responseContentType: 'ALL' }),
    ],
  ])('refuses %s with 400', async (_, body) => {
    const sandbox = await freshSandbox();
    const { budgetId, amountMicros } = ownBudget(sandbox, EUR);
    const answer = await mutate(sandbox, EUR, body(budgetId));
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    expect(answer.json.error.details[0].errors.length).toBeGreaterThan(0);
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(amountMicros);
  });

  it('B1: reports missing operations under the service’s name for the missing field', async () => {
    const answer = await mutate(await freshSandbox(), EUR, { operations: [] });
    const [{ errorCode }] = answer.json.error.details[0].errors;
    expect(errorCode).toEqual({ requestError: 'REQUIRED_FIELD_MISSING' });
  });

  it('all or nothing: one bad operation undoes the good one', async () => {
    const sandbox = await freshSandbox();
    const { budgetId, amountMicros } = ownBudget(sandbox, EUR);
    const operations = [setAmount(EUR, budgetId, '20000000'), setAmount(EUR, '5', '20000000')];
    const answer = await mutate(sandbox, EUR, { operations });
    expect(answer.json.error.details[0].errors[0].location.fieldPathElements[0]).toEqual({
      fieldName: 'operations',
      index: 1,
    });
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(amountMicros);
  });

  it('B4: partialFailure applies the good operations and names the bad ones', async () => {
    const sandbox = await freshSandbox();
    const { budgetId } = ownBudget(sandbox, EUR);
    const operations = [setAmount(EUR, '5', '20000000'), setAmount(EUR, budgetId, '20000000')];
    const answer = await mutate(sandbox, EUR, { operations, partialFailure: true });
    expect(answer.status).toBe(200);
    expect(answer.json.results).toEqual([{}, { resourceName: `customers/${EUR}/campaignBudgets/${budgetId}` }]);
    expect(answer.json.partialFailureError).toMatchObject({
      code: 3,
      message: expect.stringContaining('no campaign budget 5'),
      details: [
        {
          errors: [
            {
              errorCode: { mutateError: 'RESOURCE_NOT_FOUND' },
              location: { fieldPathElements: [{ fieldName: 'operations', index: 0 }, {}, {}] },
            },
          ],
        },
      ],
    });
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(20_000_000n);
  });

  it('B4: validateOnly checks, answers {} and changes nothing', async () => {
    const sandbox = await freshSandbox();
    const { budgetId, amountMicros } = ownBudget(sandbox, EUR);
    const good = await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '20000000')], validateOnly: true });
    expect([good.status, good.json]).toEqual([200, {}]);
    const bad = await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '1')], validateOnly: true });
    expect(bad.status).toBe(400);
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(amountMicros);
    expect(sandbox.requests.map(({ validateOnly }) => validateOnly)).toEqual([true, true]);
  });

  it('a removed budget shows its status and amount, and refuses changes', async () => {
    const sandbox = await freshSandbox();
    const { budgetId, amountMicros } = ownBudget(sandbox, EUR);
    sandbox.removeBudget(EUR, budgetId);
    const query = `SELECT campaign_budget.amount_micros, campaign_budget.status FROM campaign_budget WHERE campaign_budget.id = ${budgetId}`;
    expect((await rowsOf(sandbox, EUR, query))[0].campaignBudget).toMatchObject({
      amountMicros: amountMicros.toString(),
      status: 'REMOVED',
    });
    const answer = await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '20000000')] });
    expect(answer.json.error.details[0].errors[0].errorCode).toEqual({
      campaignBudgetError: 'CAMPAIGN_BUDGET_REMOVED',
    });
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(amountMicros);
  });

  it('a total budget shows its period and its total, but no daily amount, and refuses changes', async () => {
    const sandbox = await freshSandbox();
    const { budgetId, amountMicros } = ownBudget(sandbox, EUR);
    const fields = ['amount_micros', 'period', 'total_amount_micros'].map((name) => `campaign_budget.${name}`);
    const query = `SELECT ${fields.join(', ')} FROM campaign_budget WHERE campaign_budget.id = ${budgetId}`;
    const shown = async () => (await rowsOf(sandbox, EUR, query))[0].campaignBudget;
    expect(await shown()).toMatchObject({ amountMicros: amountMicros.toString(), period: 'DAILY' });
    sandbox.makeTotalBudget(EUR, budgetId, micros(500_000_000n));
    const total = await shown();
    expect(total).toMatchObject({ period: 'CUSTOM_PERIOD', totalAmountMicros: '500000000' });
    expect(total).not.toHaveProperty('amountMicros');
    const answer = await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '20000000')] });
    expect(answer.json.error.details[0].errors[0].errorCode).toEqual({
      campaignBudgetError: 'BUDGET_AMOUNT_MUST_BE_UNSET_FOR_CUSTOM_BUDGET_PERIOD',
    });
    expect(() => sandbox.makeTotalBudget(USD, budgetId, micros(1n))).toThrow(RangeError);
  });

  it('sets an amount by hand without a request', async () => {
    const sandbox = await freshSandbox();
    const { budgetId } = ownBudget(sandbox, EUR);
    sandbox.setBudget(EUR, budgetId, micros(7_000_000n));
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(7_000_000n);
    expect(sandbox.requests).toEqual([]);
    expect(() => sandbox.setBudget(EUR, '5', micros(1n))).toThrow(RangeError);
    expect(() => sandbox.removeBudget(USD, budgetId)).toThrow(RangeError);
  });

  it('a fault refuses single operations and leaves the others alone', async () => {
    const errorCode = { databaseError: 'CONCURRENT_MODIFICATION' };
    const sandbox = await freshSandbox({ fault: () => ({ kind: 'refuse_operations', indexes: [0], errorCode }) });
    const account = sandbox.market.accounts.find(({ customerId }) => customerId === EUR);
    const [first, second] = account?.budgets ?? [];
    const operations = [first, second].map((budget) => setAmount(EUR, budget?.budgetId ?? '', '20000000'));
    const answer = await mutate(sandbox, EUR, { operations, partialFailure: true });
    expect(answer.json.results).toEqual([{}, { resourceName: expect.any(String) }]);
    expect(answer.json.partialFailureError.details[0].errors).toEqual([
      {
        errorCode,
        message: expect.any(String),
        location: { fieldPathElements: [{ fieldName: 'operations', index: 0 }] },
      },
    ]);
    expect(sandbox.budgetAmount(EUR, first?.budgetId ?? '')).toBe(first?.amountMicros);
    expect(sandbox.budgetAmount(EUR, second?.budgetId ?? '')).toBe(20_000_000n);
  });

  it('strict: sends an empty answer for a success', async () => {
    const sandbox = await freshSandbox({ strict: true });
    const { budgetId } = ownBudget(sandbox, EUR);
    const answer = await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '20000000')] });
    expect([answer.status, answer.json]).toEqual([200, {}]);
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(20_000_000n);
  });

  it('strict: one wrong operation refuses all, with code, message and status only', async () => {
    const sandbox = await freshSandbox({ strict: true });
    const { budgetId, amountMicros } = ownBudget(sandbox, EUR);
    const operations = [setAmount(EUR, budgetId, '20000000'), setAmount(EUR, '5', '20000000')];
    const answer = await mutate(sandbox, EUR, { operations, partialFailure: true });
    expect(Object.keys(answer.json.error)).toEqual(['code', 'message', 'status']);
    expect(answer.headers).not.toHaveProperty('request-id');
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(amountMicros);
    const token = await fetch(sandbox.credentials.tokenUrl, { method: 'POST', body: 'grant_type=refresh_token' });
    expect(token.status).toBe(404);
  });

  it('a changed budget affects only later days', async () => {
    const clock = fakeClock('2026-11-10T12:00:00Z');
    const sandbox = await freshSandbox({ clock });
    const query =
      "SELECT campaign.name, segments.date, metrics.cost_micros FROM campaign WHERE segments.date BETWEEN '2026-11-05' AND '2026-11-15' AND campaign.name = 'Trail Running Shoes'";
    const account = sandbox.market.accounts.find(({ customerId }) => customerId === USD);
    const [campaign] = await rowsOf(
      sandbox,
      USD,
      "SELECT campaign.id FROM campaign WHERE campaign.name = 'Trail Running Shoes'",
    );
    const budget = account?.budgets.find(({ campaignIds }) => campaignIds.includes(campaign.campaign.id));
    clock.set('2026-11-17T12:00:00Z');
    const before = await rowsOf(sandbox, USD, query);
    clock.set('2026-11-10T12:00:00Z');
    await mutate(sandbox, USD, { operations: [setAmount(USD, budget?.budgetId ?? '', '30000000')] });
    clock.set('2026-11-17T12:00:00Z');
    const after = await rowsOf(sandbox, USD, query);
    expect(before).toHaveLength(11);
    expect(after.slice(0, 6)).toEqual(before.slice(0, 6));
    for (const { metrics } of before) expect(Number(metrics.costMicros)).toBeGreaterThan(80_000_000);
    for (const { metrics } of after.slice(6)) {
      expect(Number(metrics.costMicros)).toBeLessThan(32_000_000);
      expect(Number(metrics.costMicros)).toBeGreaterThan(26_000_000);
    }
  });
});

describe('generateKeywordIdeas', () => {
  const path = `/v11/customers/${EUR}:generateKeywordIdeas`;

  it('B6: returns the same ideas for the same keywords', async () => {
    const sandbox = await freshSandbox();
    const answers = await Promise.all(
      [1, 2].map(() => post(sandbox, path, { keywordSeed: { keywords: ['zelt', '$& schuhe'] } })),
    );
    expect(answers[0]?.status).toBe(200);
    expect(answers[0]?.json).toEqual(answers[1]?.json);
    expect(answers[0]?.json.results[0]).toEqual({
      text: 'zelt',
      keywordIdeaMetrics: {
        avgMonthlySearches: expect.stringMatching(/^\d+$/),
        competition: expect.stringMatching(/^(LOW|MEDIUM|HIGH)$/),
        lowTopOfPageBidMicros: expect.stringMatching(/^\d+0000$/),
        highTopOfPageBidMicros: expect.stringMatching(/^\d+0000$/),
      },
    });
    expect(answers[0]?.json.results.map(({ text }: { text: string }) => text)).toContain('buy $& schuhe');
  });

  it.each([{}, { keywordSeed: {} }, { keywordSeed: { keywords: [] } }, { keywordSeed: { keywords: [7] } }])(
    'B6: refuses %j with 400',
    async (body) => {
      const sandbox = await freshSandbox();
      expect((await post(sandbox, path, body)).status).toBe(400);
    },
  );
});
