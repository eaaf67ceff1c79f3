import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import { BUDGET, createProduct, giveAnotherBudget, isChange, type Product } from '../../support/product.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR } = TRIMMED;
const OTHER_BUDGET = '11087061940';

/** A reading from then on is not older than the change of noon. */
const AN_HOUR_LATER = '2026-11-20T13:00:01Z';

/** A product whose change has had no answer. */
async function unanswered(fault: Fault, queries: Readonly<Record<string, string>> = TRIM_QUERIES): Promise<Product> {
  const product = await createProduct({ queries });
  product.fault = (request) => (isChange(request) ? fault : undefined);
  const { code, value } = await product.json(['report']);
  expect([code, value.decisions[0].state]).toEqual([1, 'unknown']);
  expect(value.failures).toEqual([
    expect.stringMatching(/ has an unknown outcome: .* The next run checks the budget\.$/),
  ]);
  product.fault = undefined;
  return product;
}

const states = (product: Product) =>
  product.rows('SELECT state FROM budget_intent ORDER BY id').map(({ state }) => state);

describe('pacekeeper budgets reconcile', () => {
  it.each<
    [sentence: string, fault: Fault, before: (product: Product) => void, state: string, amount: bigint, sends: number]
  >([
    [
      'finds the target: confirmed, and nothing is sent',
      { kind: 'reset_after' },
      () => {},
      'confirmed',
      51_000_000n,
      1,
    ],
    [
      'finds the target where a page with 404 came in place of the answer: confirmed, and nothing is sent',
      { kind: 'html', status: 404 },
      (product) => product.sandbox.setBudget(EUR, BUDGET, micros(51_000_000n)),
      'confirmed',
      51_000_000n,
      1,
    ],
    [
      'finds the old amount where a page with 404 came before the work: the same absolute amount is sent again',
      { kind: 'html', status: 404 },
      () => {},
      'applied',
      51_000_000n,
      2,
    ],
    [
      'finds the old amount: the same absolute amount is sent again',
      { kind: 'reset_before' },
      () => {},
      'applied',
      51_000_000n,
      2,
    ],
    [
      'finds another amount: superseded, and nothing is sent',
      { kind: 'reset_before' },
      (product) => product.sandbox.setBudget(EUR, BUDGET, micros(70_000_000n)),
      'superseded',
      70_000_000n,
      1,
    ],
  ])('%s', async (_sentence, fault, before, state, amount, sends) => {
    const product = await unanswered(fault);
    before(product);
    const first = await product.json(['budgets', 'reconcile']);
    const isProof = state === 'confirmed';
    // Only the target proves something at once: any other amount may be older than the change.
    if (!isProof) {
      expect([first.code, states(product), product.sends().length]).toEqual([1, ['unknown'], 1]);
      product.at(AN_HOUR_LATER);
    }
    const { code, value } = isProof ? first : await product.json(['budgets', 'reconcile']);
    expect([code, value.failures]).toEqual([0, []]);
    expect(value.settled).toMatchObject([{ state, from_micros: 60_000_000, to_micros: 51_000_000, intent_id: 1 }]);
    expect([states(product), product.amount(), product.sends().length]).toEqual([[state], amount, sends]);
    expect(new Set(product.sends().map(({ body }) => body)).size).toBe(1);
    expect((await product.json(['audit', 'verify'])).value).toMatchObject({ sound: true });
  });

  it('says so if nothing is open, sends no request and exits with 0', async () => {
    const product = await createProduct();
    await product.run(['report']);
    const asked = product.sandbox.requests.length;
    const { code, stdout } = await product.run(['budgets', 'reconcile']);
    expect(code).toBe(0);
    expect(stdout).toContain('No change has an unknown outcome.');
    expect(product.sandbox.requests).toHaveLength(asked);
  });

  it('leaves a change open if the budget cannot be read, and exits with 1', async () => {
    const product = await unanswered({ kind: 'reset_after' });
    product.fault = ({ kind, query }) =>
      kind === 'stream' && query?.includes('FROM campaign') ? { kind: 'status', status: 503 } : undefined;
    const { code } = await product.run(['budgets', 'reconcile']);
    expect([code, states(product)]).toEqual([1, ['unknown']]);
    product.fault = undefined;
    expect((await product.run(['budgets', 'reconcile'])).code).toBe(0);
    expect(states(product)).toEqual(['confirmed']);
  });
});

describe('a recorded account that is excluded now', () => {
  const USD = '6193047821';
  const usd = TRIM_RULES['trim.yaml'].replace('from: stats', 'from: all').replace('EUR', 'USD').replace('2.50', '0.01');

  /** Budgets of two accounts were changed, or may have been, and one of them is excluded since. */
  async function excludedSince(fault?: Fault): Promise<Product> {
    const product = await createProduct({
      customers: `${EUR},${USD}`,
      queries: { ...TRIM_QUERIES, 'all.sql': TRIM_QUERIES['stats.sql'].replace(/AND campaign\.name.*/, '') },
      rules: { ...TRIM_RULES, 'usd.yaml': usd },
    });
    product.fault = (request) => (isChange(request) ? fault : undefined);
    await product.run(['report']);
    product.fault = undefined;
    const config = `automation: { mode: apply }\nads: { exclude_customer_ids: [${USD}] }\n`;
    writeFileSync(join(product.folder, 'pacekeeper.yaml'), config);
    return product;
  }

  it('does not block other accounts, and stays open', async () => {
    const product = await excludedSince({ kind: 'reset_after' });
    const { code } = await product.run(['budgets', 'reconcile']);
    expect(code).toBe(1);
    expect(product.rows('SELECT DISTINCT customer_id, state FROM budget_intent ORDER BY 1')).toEqual([
      { customer_id: Number(EUR), state: 'confirmed' },
      { customer_id: Number(USD), state: 'unknown' },
    ]);
  });

  it('is skipped by audit verify, which says so and verifies the rest', async () => {
    const product = await excludedSince();
    const { code, value } = await product.json(['audit', 'verify']);
    expect([code, value]).toMatchObject([0, { sound: true, compared: 1 }]);
    expect(value.notes).toEqual([`Account ${USD} is excluded or not found, so its budgets were not compared.`]);
  });
});

describe('a change without an answer', () => {
  it.each(['PAUSED', 'REMOVED'] as const)('is not sent again for a campaign that is %s now', async (status) => {
    const product = await unanswered({ kind: 'reset_before' });
    product.sandbox.setCampaignStatus(EUR, TRIMMED.campaignId, status);
    product.at(AN_HOUR_LATER);
    const { value } = await product.json(['budgets', 'reconcile']);
    expect(value.settled).toMatchObject([{ state: 'rejected', detail: expect.stringContaining('never made') }]);
    expect([product.sends().length, product.amount()]).toEqual([1, 60_000_000n]);
  });

  it('is not sent again for a campaign that spends from another budget now', async () => {
    const product = await unanswered({ kind: 'reset_before' });
    giveAnotherBudget(product);
    product.at(AN_HOUR_LATER);
    const { value } = await product.json(['budgets', 'reconcile']);
    expect(value.settled).toMatchObject([{ state: 'rejected', detail: expect.stringContaining('never made') }]);
    expect([product.sends().length, product.amount()]).toEqual([1, 60_000_000n]);
  });

  it.each([
    ['is not sent again after an error in the rows of its rule', 'stats', 1],
    ['is sent again after an error in other rows', 'other', 2],
  ])('%s', async (_, table, sends) => {
    const product = await unanswered(
      { kind: 'reset_before' },
      { ...TRIM_QUERIES, 'other.sql': TRIM_QUERIES['stats.sql'] },
    );
    const tests = join(product.folder, 'queries', `${table}.tests.yaml`);
    writeFileSync(tests, 'tests: [{ range: { column: clicks, max: -1 } }]\n');
    // The service may still show amounts from before the change, so this run only records the error.
    const { value: tested } = await product.json(['report']);
    expect([tested.settled[0].state, product.sends().length]).toEqual(['unknown', 1]);
    product.at(AN_HOUR_LATER);
    await product.run(['budgets', 'reconcile']);
    expect([product.sends().length, product.amount()]).toEqual([sends, sends === 1 ? 60_000_000n : 51_000_000n]);
  });

  it.each([
    ['of a rule', false],
    ['that undoes a decrease', true],
  ])('%s is not sent again if it increases a sum with a limit', async (_, isUndo) => {
    const raise = { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('decrease budget', 'increase budget') };
    // The budgets of the account come to less, but not after a person has raised another one.
    const config = `accounts: { ${EUR}: { daily_total: 2000 } }\n`;
    const product = await createProduct({ rules: isUndo ? TRIM_RULES : raise, config });
    if (isUndo) expect((await product.run(['report'])).code).toBe(0);
    product.fault = (request) => (isChange(request) ? { kind: 'reset_before' } : undefined);
    expect((await product.run(isUndo ? ['budgets', 'undo', 'B1'] : ['report'])).code).toBe(1);
    product.fault = undefined;
    const before = [product.sends().length, product.amount()];
    product.sandbox.setBudget(EUR, OTHER_BUDGET, micros(1_995_000_000n));
    product.at(AN_HOUR_LATER);
    const { value } = await product.json(['budgets', 'reconcile']);
    expect(value.settled).toMatchObject([
      { state: 'rejected', detail: 'The change was never made. It may not be sent again.' },
    ]);
    expect([product.sends().length, product.amount()]).toEqual(before);
  });

  it('is resolved by the next report before it decides, and the report exits with 0', async () => {
    const product = await unanswered({ kind: 'reset_after' });
    const { code, value } = await product.json(['report']);
    expect(code).toBe(0);
    expect(value.settled).toMatchObject([{ state: 'confirmed' }]);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'ALREADY_DECIDED_TODAY' }]);
    expect(product.sends()).toHaveLength(1);
  });

  it('is resolved by a report days later, which may then decide again', async () => {
    const product = await unanswered({ kind: 'reset_before' });
    product.at('2026-11-23T12:00:00Z');
    const { code, value } = await product.json(['report']);
    expect([code, value.settled[0].state]).toEqual([0, 'applied']);
    expect(product.amount()).toBe(51_000_000n);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'ALREADY_DECIDED_TODAY' }]);
  });

  it.each([
    ['an HTML page with status 200', { kind: 'html' }],
    ['another resource', { kind: 'replace', body: '{"results":[{"resourceName":"customers/1/campaignBudgets/2"}]}' }],
    ['fewer results than operations', { kind: 'replace', body: '{"results":[]}' }],
    ['text that is no JSON', { kind: 'replace', body: 'OK' }],
  ] as const)('%s is one: it is never counted as applied', async (_words, fault) => {
    const product = await unanswered(fault);
    expect(states(product)).toEqual(['unknown']);
    expect(product.rows('SELECT * FROM budget_change', 'warehouse')).toEqual([]);
    product.at(AN_HOUR_LATER);
    expect((await product.run(['budgets', 'reconcile'])).code).toBe(0);
    expect(product.amount()).toBe(51_000_000n);
    expect(['applied', 'confirmed']).toContain(states(product)[0]);
  });
});
