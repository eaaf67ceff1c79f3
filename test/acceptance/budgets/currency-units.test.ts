import { describe, expect, it } from 'vitest';
import { createProduct, type Product, type ProductOptions } from '../../support/product.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const RULE = TRIM_RULES['trim.yaml'].replace('EUR', 'IDR').replace('15%', '7%');
const OF_UNITS = 'currency_constant';

/** The trimmed campaign's budget is 60, in the currency that is named. */
const inCurrency = (currency: string, options: ProductOptions = {}): Promise<Product> =>
  createProduct({ currency, rules: { 'trim.yaml': RULE.replace('IDR', currency) }, ...options });

const unitsAsked = ({ sandbox }: Product) => sandbox.requests.filter(({ query }) => query?.includes(OF_UNITS)).length;

/** The service has no list of currencies. */
function withoutUnits(product: Product): void {
  product.fault = ({ query }) =>
    query?.includes(OF_UNITS)
      ? { kind: 'status', status: 400, body: '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"No."}}' }
      : undefined;
}

const keptUnits = (product: Product) => product.rows('SELECT budget_unit_micros AS unit FROM account');

describe('the smallest step of amounts', () => {
  it('is a whole rupiah, as the service says, asked once for all accounts', async () => {
    const product = await inCurrency('IDR', { customers: `${TRIMMED.customerId},6193047821` });
    const { code, value } = await product.json(['report']);
    // 7% less than 60 is 55.80.
    expect([code, value.decisions[0]]).toMatchObject([0, { state: 'applied', to_micros: 56_000_000 }]);
    expect(product.amount()).toBe(56_000_000n);
    expect(unitsAsked(product)).toBe(1);
    expect(keptUnits(product)).toEqual([{ unit: 1_000_000 }, { unit: 1_000_000 }]);
    const explained = await product.run(['rules', 'explain', 'trim']);
    expect(explained.code).toBe(0);
    const undone = await product.run(['budgets', 'undo', 'B1', '--why', 'a mistake']);
    expect([undone.code, product.amount()]).toEqual([0, 60_000_000n]);
  });

  it('is a cent of EUR', async () => {
    const product = await inCurrency('EUR');
    expect((await product.json(['report'])).value.decisions).toMatchObject([
      { state: 'applied', to_micros: 55_800_000 },
    ]);
    expect(keptUnits(product)).toEqual([{ unit: 10_000 }]);
  });

  it('is that of ISO 4217 for a service without it, which fails no run', async () => {
    const product = await inCurrency('EUR');
    withoutUnits(product);
    const { code, value } = await product.json(['report']);
    expect([code, value.decisions[0]]).toMatchObject([0, { state: 'applied', to_micros: 55_800_000 }]);
    expect([unitsAsked(product), keptUnits(product)]).toEqual([1, [{ unit: null }]]);
    const refused = await inCurrency('IDR');
    withoutUnits(refused);
    expect((await refused.json(['report'])).value.decisions).toMatchObject([{ state: 'rejected' }]);
    expect(refused.amount()).toBe(60_000_000n);
  });

  it('is that of the settings for a service without it, and the service goes first', async () => {
    const config = (unit: string) => `accounts: { "${TRIMMED.customerId}": { budget_unit: ${unit} } }\n`;
    const product = await inCurrency('IDR', { config: config('1') });
    withoutUnits(product);
    expect((await product.json(['report'])).value.decisions).toMatchObject([
      { state: 'applied', to_micros: 56_000_000 },
    ]);
    const both = await inCurrency('IDR', { config: config('5') });
    expect((await both.json(['report'])).value.decisions).toMatchObject([{ to_micros: 56_000_000 }]);
  });

  it('is kept for the runs in which the service does not say it', async () => {
    const product = await inCurrency('IDR');
    await product.json(['report', '--dry-run']);
    product.fault = ({ query }) => (query?.includes(OF_UNITS) ? { kind: 'status', status: 500 } : undefined);
    const { code, value } = await product.json(['report']);
    expect([code, value.decisions[0]]).toMatchObject([0, { state: 'applied', to_micros: 56_000_000 }]);
    expect(keptUnits(product)).toEqual([{ unit: 1_000_000 }]);
    product.execute("UPDATE account SET currency = 'EUR'");
    await product.json(['report', '--no-extract']);
    expect(keptUnits(product)).toEqual([{ unit: null }]);
  });

  it('is asked for again only after a refusal, so that a new one is not missed', async () => {
    const product = await inCurrency('IDR');
    await product.json(['report', '--dry-run']);
    await product.json(['report', '--dry-run']);
    expect(unitsAsked(product)).toBe(1);
    product.execute('UPDATE account SET budget_unit_micros = 10000');
    expect((await product.json(['report'])).value.decisions).toMatchObject([{ state: 'rejected' }]);
    expect(unitsAsked(product)).toBe(1);
    product.at('2026-11-21T12:00:00Z');
    expect((await product.json(['report'])).value.decisions).toMatchObject([
      { state: 'applied', to_micros: 56_000_000 },
    ]);
    expect([unitsAsked(product), keptUnits(product)]).toEqual([2, [{ unit: 1_000_000 }]]);
  });

  it('that is larger than the change leaves the budget, with the unit in the reason', async () => {
    const rules = { 'trim.yaml': RULE.replace('7%', '1%') };
    const product = await inCurrency('IDR', { rules });
    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([
      { code: 'NO_CHANGE', detail: expect.stringContaining('1.00 IDR, the smallest') },
    ]);
    expect(product.mutates()).toEqual([]);
  });

  it('keeps amounts inside of limits that are no multiples of it', async () => {
    const rules = { 'trim.yaml': RULE.replace('7%', '20%').replace('floor: 5', 'floor: 55.50') };
    const product = await inCurrency('IDR', { rules });
    expect((await product.json(['report'])).value.decisions).toMatchObject([{ to_micros: 56_000_000 }]);
  });

  it('rounds alike in a backtest', async () => {
    const product = await inCurrency('IDR');
    await product.run(['extract', '--from', '2026-11-01', '--to', '2026-11-19']);
    const { value } = await product.json(['rules', 'backtest', 'trim', '--from', '2026-11-12', '--to', '2026-11-19']);
    const changes = value.rows.filter(({ row }: { row: string }) => row === 'change');
    expect(changes.length).toBeGreaterThan(0);
    for (const { to_micros } of changes) expect(to_micros % 1_000_000).toBe(0);
  });
});
