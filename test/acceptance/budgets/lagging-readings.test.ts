import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { BUDGET, copiesOf, createProduct, isChange, type Product } from '../../support/product.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR } = TRIMMED;
const DRIFTING = {
  'trim.yaml': TRIM_RULES['trim.yaml'].replace('step: 20%', 'drift: 20% over 30 days'),
};
const HALF_PAST = '2026-11-20T12:30:00Z';
const AFTER_THE_LAG = '2026-11-20T13:00:01Z';
const LATER_STILL = '2026-11-20T13:35:00Z';

/** The budget was cut from 60.00 to 51.00 at noon, within a drift of 20 % over 30 days. */
const cut = copiesOf(
  async () => {
    const product = await createProduct({ rules: DRIFTING });
    expect((await product.run(['report'])).code).toBe(0);
    return product;
  },
  { rules: DRIFTING },
);

/** The change was made at noon, and its answer was lost. */
const lost = copiesOf(async () => {
  const product = await createProduct();
  product.fault = (request) => (isChange(request) ? { kind: 'reset_after' } : undefined);
  expect((await product.run(['report'])).code).toBe(1);
  product.fault = undefined;
  return product;
});

/** What the command comes to while the service shows the budget as it was some time ago. */
async function reading(product: Product, units: number, args: readonly string[] = ['report']) {
  const real = product.amount();
  product.sandbox.setBudget(EUR, BUDGET, micros(BigInt(units) * 1_000_000n));
  const sent = product.sends().length;
  const result = await product.json(args);
  if (product.sends().length === sent) product.sandbox.setBudget(EUR, BUDGET, micros(real));
  return result;
}

const states = (product: Product) =>
  product.rows('SELECT state FROM budget_intent ORDER BY id').map(({ state }) => state);
const foreign = (product: Product) =>
  product.rows('SELECT account_day, expected_micros, found_micros FROM foreign_change ORDER BY id');

describe('a reading that contradicts what was last set', () => {
  it('leaves the budget unchanged in that run, and says until when', async () => {
    const product = await cut();
    product.at(HALF_PAST);
    const { code, value } = await reading(product, 60);
    expect(code).toBe(0);
    expect(value.decisions).toMatchObject([
      {
        state: 'refused',
        code: 'AMOUNT_IN_DOUBT',
      },
    ]);
    expect(value.decisions[0].detail).toMatch(
      /^Budget \d+ shows 60\.00 EUR, .* A read after 2026-11-20 13:30:\d\d UTC shows the outcome\.$/,
    );
    expect(foreign(product)).toEqual([]);
  });

  it('does not restart the drift', async () => {
    const product = await cut();
    product.at(HALF_PAST);
    await reading(product, 60);
    product.at('2026-11-21T12:00:00Z');
    const { value } = await product.json(['report']);
    // 20 % less than the 60.00 before the first change, although the rule asks for 43.35.
    expect(value.decisions).toMatchObject([{ state: 'applied', to_micros: 48_000_000 }]);
  });

  it('is dropped when the next reading agrees, so a later one starts over', async () => {
    const product = await cut();
    product.at(HALF_PAST);
    await reading(product, 60);
    product.at(AFTER_THE_LAG);
    await product.run(['report']);
    product.at(LATER_STILL);
    const { value } = await reading(product, 60);
    expect([value.decisions[0].code, foreign(product)]).toEqual(['AMOUNT_IN_DOUBT', []]);
  });

  it('counts as a change elsewhere if a reading one hour later agrees, dated on the day of the first', async () => {
    const product = await cut();
    product.at('2026-11-20T22:30:00Z');
    product.sandbox.setBudget(EUR, BUDGET, micros(70_000_000n));
    await product.run(['report']);
    // In Berlin it is the next day.
    product.at('2026-11-20T23:30:01Z');
    const { value } = await product.json(['report']);
    expect(foreign(product)).toEqual([
      { account_day: '2026-11-20', expected_micros: 51_000_000, found_micros: 70_000_000 },
    ]);
    expect(value.decisions).toMatchObject([{ state: 'applied', from_micros: 70_000_000 }]);
  });

  it('needs the same amount twice', async () => {
    const product = await cut();
    product.at(HALF_PAST);
    await reading(product, 60);
    product.at(LATER_STILL);
    await reading(product, 70);
    expect(foreign(product)).toEqual([]);
  });

  it('lets the account’s total count the higher of the two amounts', async () => {
    const raise =
      'description: Raise one.\nfrom: all\nfor: campaign\nover: 7 days\nwhen: clicks >= 0 AND campaign_id != ' +
      `${TRIMMED.campaignId}\ncurrency: EUR\nchange: increase budget by 10%\nlimits: { ceiling: 1000 }\nmode: apply\n`;
    const all =
      'SELECT campaign.id, campaign.name, metrics.clicks, segments.date FROM keyword_view WHERE segments.date DURING LAST_7_DAYS';
    const product = await createProduct({ queries: { ...TRIM_QUERIES, 'all.sql': all } });
    await product.run(['report']);
    const total = product.sandbox.market.accounts.find(({ customerId }) => customerId === EUR)?.budgets ?? [];
    const now = total.reduce((sum, { budgetId }) => sum + product.sandbox.budgetAmount(EUR, budgetId), 0n);
    expect(total.length).toBeGreaterThan(2);
    writeFileSync(join(product.folder, 'rules', 'raise.yaml'), raise);
    product.reconfigure('apply', `accounts: { "${EUR}": { daily_total: ${now / 1_000_000n + 1n} } }\n`);
    product.at(HALF_PAST);
    const { value } = await reading(product, 11);
    const made = value.decisions.filter(({ state }: { state: string }) => state === 'applied');
    expect([made, value.decisions.map(({ code }: { code: string }) => code)]).toEqual([
      [],
      expect.arrayContaining(['ACCOUNT_TOTAL']),
    ]);
  });
});

describe('a change without an answer', () => {
  it('is not declared unmade by a reading that may be older', async () => {
    const product = await lost();
    product.reconfigure('propose');
    product.at(HALF_PAST);
    await reading(product, 60);
    expect(states(product)).toEqual(['unknown']);
    product.at(AFTER_THE_LAG);
    await product.run(['report']);
    expect(states(product)).toEqual(['confirmed']);
  });

  it('is not declared unmade by it either after the clock was set back', async () => {
    const product = await lost();
    product.reconfigure('propose');
    for (const at of ['2026-11-20T08:00:00Z', '2026-11-20T08:30:00Z']) {
      product.at(at);
      await reading(product, 60);
      expect(states(product)).toEqual(['unknown']);
    }
    product.at('2026-11-20T09:00:01Z');
    await product.run(['report']);
    expect(states(product)).toEqual(['confirmed']);
  });

  it('waits again if the service refuses the second request, because a refusal proves nothing', async () => {
    const product = await createProduct();
    product.fault = (request) => (isChange(request) ? { kind: 'reset_before' } : undefined);
    await product.run(['report']);
    product.at(AFTER_THE_LAG);
    const error = { code: 401, status: 'UNAUTHENTICATED', message: 'Who are you?' };
    product.fault = (request) =>
      isChange(request) ? { kind: 'status', status: 401, body: JSON.stringify({ error }) } : undefined;
    expect((await product.run(['report'])).code).toBe(1);
    expect(states(product)).toEqual(['unknown']);
    product.fault = undefined;
    product.at(LATER_STILL);
    await product.run(['report']);
    expect([states(product), product.amount()]).toEqual([['unknown'], 60_000_000n]);
    product.at('2026-11-20T14:00:02Z');
    await product.run(['report']);
    expect([states(product), product.amount()]).toEqual([['applied'], 51_000_000n]);
  });

  it('is not sent again over a later amount that an old reading hides', async () => {
    const product = await lost();
    product.sandbox.setBudget(EUR, BUDGET, micros(70_000_000n));
    product.at(HALF_PAST);
    const { code } = await reading(product, 60);
    expect([code, product.amount(), states(product)]).toEqual([1, 70_000_000n, ['unknown']]);
    product.at(AFTER_THE_LAG);
    await product.run(['report']);
    product.at('2026-11-20T14:00:02Z');
    await product.run(['report']);
    expect([product.amount(), states(product)]).toEqual([70_000_000n, ['superseded']]);
    expect(foreign(product)).toMatchObject([{ found_micros: 70_000_000 }]);
  });

  it('is not confirmed by an amount that the budget had shortly before', async () => {
    const product = await cut();
    product.fault = (request) => (isChange(request) ? { kind: 'reset_before' } : undefined);
    await product.run(['budgets', 'undo', 'B1']);
    product.fault = undefined;
    product.at(HALF_PAST);
    expect((await reading(product, 60, ['budgets', 'reconcile'])).code).toBe(1);
    expect(states(product)).toEqual(['applied', 'unknown']);
    product.at(AFTER_THE_LAG);
    expect((await product.run(['budgets', 'reconcile'])).code).toBe(0);
    expect([states(product), product.amount()]).toEqual([['applied', 'applied'], 60_000_000n]);
  });
});

describe('a decision', () => {
  it('ends unsent if the budget shows another amount just before sending', async () => {
    const product = await cut();
    product.at('2026-11-21T12:00:00Z');
    let readings = 0;
    product.fault = ({ kind, query }) => {
      if (kind === 'stream' && query?.includes('FROM campaign') && ++readings === 2) {
        product.sandbox.setBudget(EUR, BUDGET, micros(60_000_000n));
      }
      return undefined;
    };
    const { code, value } = await product.json(['report']);
    expect([code, value.decisions[0].state, foreign(product)]).toEqual([0, 'expired', []]);
    expect(states(product)).toEqual(['applied', 'expired']);
  });

  it('still awaits approval if the budget shows another amount', async () => {
    const product = await cut();
    product.reconfigure('approve');
    product.at('2026-11-21T12:00:00Z');
    const proposed = await product.json(['report']);
    const code = proposed.value.decisions[0].proposal;
    const refused = await reading(product, 60, ['budgets', 'approve', code]);
    expect([refused.code, refused.value.decisions[0].code]).toEqual([1, 'AMOUNT_IN_DOUBT']);
    expect((await product.run(['budgets', 'approve', code])).code).toBe(0);
  });
});
