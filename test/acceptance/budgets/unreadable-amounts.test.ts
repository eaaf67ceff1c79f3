import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR, campaignId: CAMPAIGN, campaignName: NAME, budgetId: BUDGET } = TRIMMED;
const BOUNDED = `accounts: { ${EUR}: { daily_total: 100000 } }\n`;
const RAISE = {
  'raise.yaml': TRIM_RULES['trim.yaml'].replace('change: decrease', 'change: increase').replace('> 2.50', '> 0'),
};

/** The service shows the trimmed campaign's budget as it is, and another one with these fields for an amount. */
function show(product: Product, other: object): void {
  const budget = (id: string, name: string, of: string, fields: object) => ({
    campaign: { id, name, campaignBudget: `customers/${EUR}/campaignBudgets/${of}`, status: 'ENABLED' },
    campaignBudget: { id: of, status: 'ENABLED', ...fields },
  });
  product.fault = ({ query }) => {
    if (!query?.includes('campaign_budget.amount_micros')) return undefined;
    const own = budget(CAMPAIGN, NAME, BUDGET, { amountMicros: String(product.amount()) });
    const results = [own, budget('9', 'Whole winter', '909', other)];
    return { kind: 'replace', body: JSON.stringify([{ results }]) };
  };
}

const TOTAL = /total budget/;

describe('a total budget', () => {
  const whole = async () => {
    const product = await createProduct();
    product.sandbox.makeTotalBudget(EUR, BUDGET, micros(1_500_000_000n));
    return product;
  };

  it('is not changed, and the refusal names it with its amount', async () => {
    const product = await whole();
    const { code, value } = await product.json(['report']);
    expect([code, value.decisions[0]]).toMatchObject([0, { code: 'TOTAL_BUDGET', state: 'refused' }]);
    expect(value.decisions[0].detail).toBe(
      `Budget ${BUDGET} is a total budget (CUSTOM_PERIOD) of 1,500.00 EUR, expected a daily budget. Give the campaign a daily budget.`,
    );
    expect(product.mutates()).toEqual([]);
    expect((await product.run(['rules', 'explain', 'trim'], { columns: 300 })).stdout).toMatch(TOTAL);
  });

  it.each([
    ['has none', {}],
    ['shows zero', { amountMicros: '0' }],
    ['shows an amount', { amountMicros: '60000000' }],
    ['hides its total', { period: 'CUSTOM_PERIOD', amountMicros: '60000000' }],
  ])('leaves its account without a known daily total if its daily amount %s', async (_, fields) => {
    const product = await createProduct({ rules: RAISE, config: BOUNDED });
    show(product, { period: 'CUSTOM_PERIOD', totalAmountMicros: '5000000000', ...fields });
    const { value } = await product.json(['report']);
    expect(value.decisions[0]).toMatchObject({
      code: 'TOTAL_UNKNOWN',
      detail:
        'Budget 909 is a total budget without a daily amount, so no budget is raised. Give its campaign a daily budget, or remove daily_total and daily_exposure.',
    });
  });

  it('is not changed by an approval or an undo either', async () => {
    const asked = await createProduct({ mode: 'approve' });
    const { proposal } = (await asked.json(['report'])).value.decisions[0];
    asked.sandbox.makeTotalBudget(EUR, BUDGET, micros(1_500_000_000n));
    const approved = await asked.run(['budgets', 'approve', proposal]);
    expect([approved.code, approved.stdout]).toEqual([1, expect.stringMatching(TOTAL)]);
    expect(asked.sends()).toEqual([]);
    const made = await createProduct();
    await made.run(['report']);
    made.sandbox.makeTotalBudget(EUR, BUDGET, micros(1_500_000_000n));
    const undone = await made.run(['budgets', 'undo', 'B1', '--why', 'a test']);
    expect([undone.code, undone.stdout]).toEqual([1, expect.stringMatching(TOTAL)]);
    expect(made.sends()).toHaveLength(1);
  });
});

describe('a budget whose amount cannot be read', () => {
  it.each([
    ['has none', {}],
    ['is beyond int64', { amountMicros: '9223372036854775808' }],
    ['is nothing', { amountMicros: '0' }],
  ])('%s: no budget is raised in an account with a limit, and the budget is named', async (_, fields) => {
    const product = await createProduct({ rules: RAISE, config: BOUNDED });
    show(product, fields);
    const { code, value } = await product.json(['report']);
    expect([code, value.decisions[0]?.code]).toEqual([0, 'TOTAL_UNKNOWN']);
    expect(value.decisions[0].detail).toContain('The amount of budget 909 is not known');
    expect(product.amount()).toBe(60_000_000n);
  });

  it('blocks no decrease, and no increase in an account without a limit', async () => {
    const lowered = await createProduct({ config: BOUNDED });
    show(lowered, {});
    expect((await lowered.json(['report'])).value.decisions[0]).toMatchObject({ state: 'applied' });
    const raised = await createProduct({ rules: RAISE });
    show(raised, {});
    expect((await raised.json(['report'])).value.decisions[0]).toMatchObject({ state: 'applied' });
  });
});
