import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProduct, leftBy, type Product } from '../../support/product.ts';
import { TRIMMED } from '../../support/trim-rule.ts';

/** A fresh data folder, after another one cut the budget from 60.00 to 51.00 at noon. */
async function secondFolder(): Promise<Product> {
  const first = await createProduct();
  expect((await first.run(['report'])).code).toBe(0);
  const { files } = await leftBy(first);
  const service = new Map([...files].filter(([name]) => name === 'service.sqlite'));
  const second = await createProduct({ left: { files: service, database: undefined } });
  expect(second.amount()).toBe(51_000_000n);
  return second;
}

const history: Product['fault'] = ({ query }) =>
  query?.includes('FROM change_event') ? { kind: 'status', status: 503 } : undefined;
const withoutHistory: Product['fault'] = ({ query }) =>
  query?.includes('FROM change_event')
    ? { kind: 'status', status: 400, body: '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"No."}}' }
    : undefined;
const foreign = (product: Product) =>
  product.rows('SELECT account_day, expected_micros, found_micros FROM foreign_change ORDER BY id');

describe('a data folder that reads an account for the first time', () => {
  it('leaves a budget unchanged for the day if it was changed elsewhere today', async () => {
    const product = await secondFolder();
    for (const at of ['2026-11-20T12:00:00Z', '2026-11-20T15:00:00Z']) {
      product.at(at);
      const { code, value } = await product.json(['report']);
      expect([code, value.decisions]).toMatchObject([0, [{ state: 'refused', code: 'FOREIGN_CHANGE' }]]);
    }
    expect(product.sends()).toEqual([]);
    expect(foreign(product)).toEqual([
      { account_day: '2026-11-20', expected_micros: 60_000_000, found_micros: 51_000_000 },
    ]);
    expect((await product.json(['audit', 'verify'])).value).toMatchObject({ sound: true });
  });

  it('continues the next day from the amount that it found', async () => {
    const product = await secondFolder();
    await product.run(['report']);
    product.at('2026-11-21T12:00:00Z');
    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([{ state: 'applied', from_micros: 51_000_000 }]);
  });

  it('shows it in a dry run, and records nothing', async () => {
    const product = await secondFolder();
    const { value } = await product.json(['report', '--dry-run']);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'FOREIGN_CHANGE' }]);
    expect(foreign(product)).toEqual([]);
  });

  it('changes nothing if the change history cannot be read, and says so', async () => {
    const product = await secondFolder();
    product.fault = history;
    const { code, value } = await product.json(['report']);
    expect([code, product.amount()]).toEqual([1, 51_000_000n]);
    expect(value.failures).toEqual([
      expect.stringContaining('the history of its budgets could not be read, so no rule was evaluated'),
    ]);
  });

  it.each([400, 404, 501])('does not treat a bare %i as an answer about the change history', async (status) => {
    const product = await secondFolder();
    product.fault = ({ query }) =>
      query?.includes('FROM change_event') ? { kind: 'status', status, body: '' } : undefined;
    const { code, value } = await product.json(['report']);
    expect([code, product.amount()]).toEqual([1, 51_000_000n]);
    expect(value.failures).toEqual([expect.stringContaining('no rule was evaluated')]);
  });

  it('counts an amount set elsewhere if a reading lags behind it', async () => {
    const product = await secondFolder();
    const { customerId, campaignId: id, budgetId } = TRIMMED;
    const campaign = { id, campaignBudget: `customers/${customerId}/campaignBudgets/${budgetId}`, status: 'ENABLED' };
    const results = [{ campaign, campaignBudget: { amountMicros: '60000000' } }];
    product.fault = ({ query }) =>
      query?.includes('campaign_budget.amount_micros')
        ? { kind: 'replace', body: JSON.stringify([{ results }]) }
        : undefined;
    const { value } = await product.json(['report', '--dry-run']);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'AMOUNT_IN_DOUBT' }]);
  });

  it('requests the history again after a run that could not read it', async () => {
    const product = await secondFolder();
    product.fault = history;
    await product.run(['report']);
    product.fault = undefined;
    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'FOREIGN_CHANGE' }]);
    expect(product.amount()).toBe(51_000_000n);
  });

  it('requests the history in the first run with a rule for the account', async () => {
    const product = await secondFolder();
    const rule = readFileSync(join(product.folder, 'rules/trim.yaml'), 'utf8');
    rmSync(join(product.folder, 'rules/trim.yaml'));
    expect((await product.json(['report'])).value.rules).toEqual([]);
    writeFileSync(join(product.folder, 'rules/trim.yaml'), rule);
    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'FOREIGN_CHANGE' }]);
    expect(product.amount()).toBe(51_000_000n);
  });

  it('changes budgets if the service has no change history', async () => {
    const product = await secondFolder();
    product.fault = withoutHistory;
    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([{ state: 'applied', from_micros: 51_000_000 }]);
  });

  it('requests the history once, then uses its own record', async () => {
    const product = await createProduct();
    await product.run(['report']);
    product.at('2026-11-21T12:00:00Z');
    await product.run(['report']);
    const asked = product.sandbox.requests.filter(({ query }) => query?.includes('FROM change_event'));
    expect(asked).toHaveLength(1);
  });
});
