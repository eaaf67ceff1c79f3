import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import { BUDGET, createProduct, isChange, type Product, type ProductOptions } from '../../support/product.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR } = TRIMMED;

const COOLING = {
  'trim.yaml': TRIM_RULES['trim.yaml']
    .replace(/^when: .*$/m, 'when: clicks >= 0')
    .replace('step: 20%', 'cooldown: 3 days, drift: 20% over 7 days'),
};

const isHistory = (query = '') => query.includes('FROM change_event');
const isBudgets = (query = '') => /^SELECT campaign\.id, .*campaign_budget\.amount_micros.* FROM campaign$/.test(query);

const withoutHistory: Product['fault'] = ({ query }) =>
  isHistory(query)
    ? { kind: 'status', status: 400, body: '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"No."}}' }
    : undefined;

const setBy = (product: Product, units: bigint) => product.sandbox.setBudget(EUR, BUDGET, micros(units * 1_000_000n));
const foreign = (product: Product) =>
  product.rows('SELECT account_day, expected_micros, found_micros, expected_at FROM foreign_change ORDER BY id');
async function reportAt(product: Product, at: string) {
  product.at(at);
  const { code, value } = await product.json(['report']);
  return { code, value, decision: value.decisions[0] };
}

/** Reports on the 18th and 19th have seen 60.00 EUR, and pacekeeper has changed nothing. */
async function watching(options: ProductOptions = {}, fault = withoutHistory): Promise<Product> {
  const product = await createProduct({ rules: COOLING, mode: 'propose', ...options });
  product.fault = fault;
  for (const day of ['18', '19']) expect((await reportAt(product, `2026-11-${day}T12:00:00Z`)).code).toBe(0);
  product.reconfigure('apply');
  return product;
}

describe('a budget that pacekeeper has never changed', () => {
  it('is left alone for the cooldown after a person has changed it, and the change is on record', async () => {
    const product = await watching();
    setBy(product, 40n);
    const seen = await reportAt(product, '2026-11-20T12:00:00Z');
    expect(seen.decision).toMatchObject({ state: 'refused', code: 'FOREIGN_CHANGE' });
    expect(foreign(product)).toEqual([
      {
        account_day: '2026-11-20',
        expected_micros: 60_000_000,
        found_micros: 40_000_000,
        expected_at: '2026-11-19T12:00:00Z',
      },
    ]);
    expect((await reportAt(product, '2026-11-22T12:00:00Z')).decision).toMatchObject({ code: 'COOLDOWN' });
    expect(product.sends()).toEqual([]);
    const again = await reportAt(product, '2026-11-23T12:00:00Z');
    expect(again.decision).toMatchObject({ state: 'applied', from_micros: 40_000_000 });
    expect((await product.json(['audit', 'verify'])).value).toMatchObject({ sound: true });
  });

  it('is left alone in the same way after an own change that the service refused', async () => {
    const product = await watching();
    product.fault = (request) =>
      isChange(request)
        ? { kind: 'status', status: 400, body: '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"No."}}' }
        : withoutHistory(request);
    product.at('2026-11-19T14:00:00Z');
    await product.run(['report']);
    product.fault = withoutHistory;
    setBy(product, 40n);
    const { decision } = await reportAt(product, '2026-11-20T12:00:00Z');
    expect(decision).toMatchObject({ state: 'refused', code: 'FOREIGN_CHANGE' });
    expect(foreign(product)).toMatchObject([{ expected_micros: 60_000_000, found_micros: 40_000_000 }]);
  });

  it('is in doubt within the lag of the last reading, and changed by others after it', async () => {
    const product = await watching();
    setBy(product, 40n);
    const soon = await reportAt(product, '2026-11-19T12:20:00Z');
    expect(soon.decision).toMatchObject({ state: 'refused', code: 'AMOUNT_IN_DOUBT' });
    expect(foreign(product)).toEqual([]);
    const certain = await reportAt(product, '2026-11-19T13:00:00Z');
    expect(certain.decision).toMatchObject({ state: 'refused', code: 'FOREIGN_CHANGE' });
    expect(foreign(product)).toMatchObject([{ account_day: '2026-11-19', expected_at: '2026-11-19T12:00:00Z' }]);
  });

  it('keeps its last amount after one older reading', async () => {
    const product = await watching();
    setBy(product, 40n);
    await reportAt(product, '2026-11-19T12:20:00Z');
    setBy(product, 60n);
    const { decision } = await reportAt(product, '2026-11-19T12:40:00Z');
    expect([decision.state, foreign(product)]).toEqual(['applied', []]);
  });

  it.each<[string, Fault]>([
    ['fails', { kind: 'status', status: 503 }],
    ['shows no budgets', { kind: 'replace', body: '[]' }],
  ])('keeps its last amount after a reading that %s', async (_, fault) => {
    const product = await watching();
    product.fault = (request) => (isBudgets(request.query) ? fault : withoutHistory(request));
    product.at('2026-11-20T12:00:00Z');
    await product.run(['report']);
    product.fault = withoutHistory;
    setBy(product, 40n);
    const { decision } = await reportAt(product, '2026-11-20T14:00:00Z');
    expect(decision).toMatchObject({ code: 'FOREIGN_CHANGE' });
    expect(foreign(product)).toMatchObject([{ expected_at: '2026-11-19T12:00:00Z' }]);
  });

  it('is compared with the amount that the settings declare, which a person can correct', async () => {
    const declared = (units: number) =>
      `budgets: { "${EUR}": { "${BUDGET}": { amount: ${units}, campaigns: ["${TRIMMED.campaignId}"] } } }\n`;
    const product = await watching({ config: declared(60) }, (request) =>
      isBudgets(request.query) ? { kind: 'replace', body: '[]' } : withoutHistory(request),
    );
    product.reconfigure('apply', declared(40));
    const { decision } = await reportAt(product, '2026-11-20T12:00:00Z');
    expect(decision).toMatchObject({ state: 'refused', code: 'FOREIGN_CHANGE' });
    expect((await reportAt(product, '2026-11-22T12:00:00Z')).decision).toMatchObject({ code: 'COOLDOWN' });
  });

  it('is compared with the tables of the last run if that was a run of an earlier version', async () => {
    const campaigns = 'SELECT campaign.id, campaign_budget.id, campaign_budget.amount_micros FROM campaign';
    const product = await watching({ queries: { ...TRIM_QUERIES, 'campaigns.sql': campaigns } });
    product.execute('DELETE FROM budget_reading');
    setBy(product, 40n);
    const { decision } = await reportAt(product, '2026-11-20T12:00:00Z');
    expect(decision).toMatchObject({ state: 'refused', code: 'FOREIGN_CHANGE' });
    expect(foreign(product)).toMatchObject([{ expected_micros: 60_000_000, expected_at: '2026-11-19T12:00:00Z' }]);
  });

  it('has no change on record after a dry run', async () => {
    const product = await watching();
    setBy(product, 40n);
    product.at('2026-11-20T12:00:00Z');
    const { value } = await product.json(['report', '--dry-run']);
    expect(value.decisions).toMatchObject([{ code: 'FOREIGN_CHANGE' }]);
    expect(foreign(product)).toEqual([]);
  });
});

describe('a service with a history of changes', () => {
  const changedEarlier = async (days: readonly [at: string, units: bigint][]) => {
    const product = await createProduct({ rules: COOLING });
    for (const [at, units] of days) {
      product.at(at);
      setBy(product, units);
    }
    return product;
  };

  it('tells a new data folder of a change within the longest cooldown or drift, with its day', async () => {
    const product = await changedEarlier([
      ['2026-11-10T09:00:00Z', 90n],
      ['2026-11-18T09:00:00Z', 50n],
    ]);
    const { decision } = await reportAt(product, '2026-11-20T12:00:00Z');
    expect(decision).toMatchObject({ state: 'refused', code: 'COOLDOWN' });
    expect(foreign(product)).toMatchObject([
      { account_day: '2026-11-18', expected_micros: 90_000_000, found_micros: 50_000_000 },
    ]);
    expect((await reportAt(product, '2026-11-21T12:00:00Z')).decision).toMatchObject({ state: 'applied' });
  });

  it('is asked once, and again only for a longer time', async () => {
    const product = await changedEarlier([['2026-11-01T09:00:00Z', 50n]]);
    const asked = () => product.sandbox.requests.filter(({ query }) => isHistory(query)).length;
    product.reconfigure('propose');
    for (const at of ['2026-11-20T12:00:00Z', '2026-11-20T15:00:00Z', '2026-11-21T12:00:00Z']) {
      await reportAt(product, at);
    }
    expect([asked(), foreign(product)]).toEqual([1, []]);
    writeFileSync(
      join(product.folder, 'rules', 'trim.yaml'),
      COOLING['trim.yaml'].replace('cooldown: 3 days', 'cooldown: 25 days'),
    );
    const { decision } = await reportAt(product, '2026-11-21T13:00:00Z');
    expect(asked()).toBe(2);
    expect(decision).toMatchObject({ state: 'refused', code: 'COOLDOWN' });
    expect(foreign(product)).toMatchObject([{ account_day: '2026-11-01' }]);
  });
});
