import { describe, expect, it } from 'vitest';
import { sample } from '../../support/effort.ts';
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

describe('a budget whose amount cannot be read', () => {
  it.each(
    sample([
      ['has none', {}],
      ['is beyond int64', { amountMicros: '9223372036854775808' }],
      ['is of a whole period', { totalAmountMicros: '5000000000' }],
      ['is nothing', { amountMicros: '0' }],
    ]),
  )('%s: no budget is raised in an account with a limit, and the budget is named', async (_, fields) => {
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
