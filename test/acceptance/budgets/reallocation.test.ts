import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { BEST, putBest } from '../../support/best-target.ts';
import { createProduct, isChange, type Product, type ProductOptions } from '../../support/product.ts';

const [ALPEN = '', PACIFIC = ''] = BEST.customers.split(',');

const LINES = BEST.lines;
const [ZELTE, WATCHES, BRAND, MARKE] = LINES;
const BEFORE = LINES.map(({ from }) => from);
const AFTER = LINES.map(({ to }) => to);

async function bestOf(options: ProductOptions = {}, target: string = BEST.target): Promise<Product> {
  const product = await createProduct({
    queries: { 'campaign_value.sql': BEST.query },
    rules: {},
    customers: BEST.customers,
    currency: 'EUR',
    ...options,
  });
  putBest(product.folder, target);
  return product;
}

const amounts = ({ sandbox }: Product) => LINES.map(({ customer, budget }) => sandbox.budgetAmount(customer, budget));
const sumOf = (all: readonly bigint[]) => all.reduce((sum, one) => sum + one, 0n);

/** No request, whatever became of it, brings the total above what it was. */
function checkTotals(product: Product): void {
  const now: bigint[] = [...BEFORE];
  for (const { body } of product.sends()) {
    for (const { update } of JSON.parse(body).operations) {
      const place = LINES.findIndex(({ budget }) => update.resourceName.endsWith(`/${budget}`));
      now[place] = BigInt(update.amountMicros);
      expect(sumOf(now)).toBeLessThanOrEqual(sumOf(BEFORE));
    }
  }
  expect(sumOf(amounts(product))).toBeLessThanOrEqual(sumOf(BEFORE));
}

const states = (product: Product) =>
  product
    .rows('SELECT CAST(budget_id AS TEXT) AS budget, state, code FROM budget_intent ORDER BY id')
    .map(({ budget, state, code }) => [LINES.find((line) => line.budget === budget)?.name, state, code ?? '']);

const refusals = (product: Product) =>
  product
    .rows("SELECT code, CAST(budget_id AS TEXT) AS budget FROM decision WHERE kind = 'refusal' ORDER BY code, budget")
    .map(({ code }) => code);

describe('a reallocation', () => {
  it('lowers the worst budgets and raises the best ones by the same amount, decreases first', async () => {
    const product = await bestOf();
    const { code, value } = await product.json(['report']);
    expect([code, value.failures]).toEqual([0, []]);
    expect(amounts(product)).toEqual(AFTER);
    expect(sumOf(AFTER)).toBe(sumOf(BEFORE));
    checkTotals(product);
    product.at('2026-11-21T12:00:00Z');
    expect((await product.json(['report'])).code).toBe(0);
    expect(new Set(refusals(product))).toEqual(new Set(['COOLDOWN']));
    expect(amounts(product)).toEqual(AFTER);
  });

  it.each([
    ['an account was not read', { customers: ALPEN }, BEST.target, 'account 6193047821 is not among the accounts'],
    ['an account has another currency', { currency: 'USD' }, BEST.target, 'is in USD, expected EUR'],
    [
      'a value is unknown',
      {},
      BEST.target.replace('conversions_value / cost', '1 / conversions_value'),
      'division by zero',
    ],
    ['all values are equal', {}, BEST.target.replace(/: conv.*/, ': 0 * clicks'), 'all budgets have the same value'],
    [
      'only one budget is running',
      {},
      BEST.target.replace(/, where.*GPS.*"/, ', where: "campaign_id = 1"').replace(", 'Marke - Alpenkontor'", ''),
      'only budget 11087046455 is running',
    ],
  ])('moves nothing if %s, and says why', async (_, options, target, why) => {
    const product = await bestOf(options, target);
    const { value } = await product.json(['report']);
    expect(value.withheld).toMatchObject([{ rule: 'best', reason: expect.stringContaining(why) }]);
    expect(product.mutates()).toEqual([]);
  });

  it('moves nothing during a freeze, and every line says so', async () => {
    const product = await bestOf();
    expect((await product.run(['freeze', '--why', 'audit'])).code).toBe(0);
    await product.run(['report']);
    expect(refusals(product)).toEqual(['FROZEN', 'FROZEN', 'FROZEN', 'FROZEN']);
    expect(product.mutates()).toEqual([]);
  });

  it('loses as a whole to another rule that changes one of its budgets', async () => {
    const cut = `description: Cut one.
from: campaign_value
for: campaign
where: campaign_name = '${MARKE.name}'
over: 7 days
when: clicks >= 1
change: decrease budget by 5%
limits: { step: 20% }
mode: apply
`;
    const product = await bestOf({ rules: { 'cut.yaml': cut } });
    expect((await product.json(['report'])).code).toBe(0);
    expect(refusals(product)).toEqual(['DECIDED_BY_OTHER', 'PLAN_INCOMPLETE', 'PLAN_INCOMPLETE', 'PLAN_INCOMPLETE']);
    expect(amounts(product)).toEqual([ZELTE.from, WATCHES.from, BRAND.from, 38_000_000n]);
  });

  it.each([
    ['the changes of a run', 'automation: { mode: apply, changes_per_run: 3 }', 'CHANGES_PER_RUN'],
    ['a bound of an account', `accounts: { ${PACIFIC}: { daily_total: 500 } }`, 'ACCOUNT_TOTAL'],
  ])('is not made in part because of %s', async (_, config, code) => {
    const product = await bestOf();
    writeFileSync(
      join(product.folder, 'pacekeeper.yaml'),
      `automation: { mode: apply }\n${config}\n`.replace(/^.*\n(?=auto)/, ''),
    );
    expect((await product.json(['report'])).code).toBe(0);
    expect(refusals(product)).toEqual([code, 'PLAN_INCOMPLETE', 'PLAN_INCOMPLETE', 'PLAN_INCOMPLETE']);
    expect(product.mutates()).toEqual([]);
  });
});

describe('the increases of a reallocation', () => {
  it('are not sent if the service refuses a decrease', async () => {
    const product = await bestOf();
    product.fault = (request) =>
      request.kind === 'mutate' && request.body.includes(ZELTE.budget)
        ? { kind: 'status', status: 400, body: '{}' }
        : undefined;
    expect((await product.json(['report'])).code).toBe(1);
    expect(amounts(product)).toEqual([ZELTE.from, WATCHES.to, BRAND.from, MARKE.from]);
    checkTotals(product);
  });

  it.each([
    ['before its decrease', 2, [90_000_000n, WATCHES.to, BRAND.from, MARKE.from]],
    ['after its decrease', 3, [90_000_000n, WATCHES.to, BRAND.from, MARKE.from]],
  ])('are not sent if a person raises the budget that gives %s', async (_, reading, expected) => {
    const product = await bestOf();
    let read = 0;
    product.fault = ({ customerId, query }) => {
      if (customerId !== ALPEN || !query?.includes('campaign_budget.amount_micros')) return undefined;
      read += 1;
      if (read === reading) product.sandbox.setBudget(ALPEN, ZELTE.budget, micros(90_000_000n));
      return undefined;
    };
    const { code, value } = await product.json(['report']);
    expect(code).toBe(1);
    expect(value.failures).toContainEqual(
      expect.stringMatching(/^The change of budget 12087046455 .* was not made: This increase needs 6\.00 EUR/),
    );
    expect(amounts(product)).toEqual(expected);
    expect(states(product).filter(([, state]) => state === 'expired')).toEqual([
      [MARKE.name, 'expired', 'NOT_FREED'],
      [BRAND.name, 'expired', 'NOT_FREED'],
    ]);
  });

  it('are not sent if a decrease was not answered, and neither is the decrease again', async () => {
    const product = await bestOf();
    product.fault = (request) =>
      isChange(request) && request.body.includes(ZELTE.budget) ? { kind: 'reset_before' } : undefined;
    expect((await product.json(['report'])).code).toBe(1);
    expect(states(product)).toEqual([
      [ZELTE.name, 'unknown', 'ECONNRESET'],
      [MARKE.name, 'expired', 'NOT_FREED'],
      [BRAND.name, 'expired', 'NOT_FREED'],
      [WATCHES.name, 'applied', ''],
    ]);
    product.fault = undefined;
    product.at('2026-11-20T13:06:00Z');
    const { value } = await product.json(['report']);
    expect(value.settled).toMatchObject([{ to_micros: 76_500_000, state: 'rejected' }]);
    expect(amounts(product)).toEqual([ZELTE.from, WATCHES.to, BRAND.from, MARKE.from]);
    checkTotals(product);
  });

  it('are not sent for a decrease that the service only says it made', async () => {
    const product = await bestOf();
    product.fault = (request) =>
      isChange(request) && request.body.includes(ZELTE.budget)
        ? {
            kind: 'replace',
            body: JSON.stringify({ results: [{ resourceName: `customers/${ALPEN}/campaignBudgets/${ZELTE.budget}` }] }),
          }
        : undefined;
    await product.run(['report']);
    checkTotals(product);
  });

  it('are not sent again if no answer came', async () => {
    const product = await bestOf();
    product.fault = (request) =>
      isChange(request) && request.body.includes(MARKE.budget) ? { kind: 'reset_before' } : undefined;
    expect((await product.json(['report'])).code).toBe(1);
    product.fault = undefined;
    const sent = product.sends().length;
    product.sandbox.setBudget(ALPEN, ZELTE.budget, micros(85_000_000n));
    product.at('2026-11-20T13:06:00Z');
    const { value } = await product.json(['report']);
    expect(value.settled).toMatchObject([{ to_micros: 44_000_000, state: 'rejected' }]);
    expect(product.sends()).toHaveLength(sent);
  });
});

describe('the approval of a reallocation', () => {
  const codeOf = (product: Product, { budget }: (typeof LINES)[number]) =>
    String(product.rows(`SELECT code FROM budget_proposal WHERE budget_id = ${budget}`)[0]?.code);

  async function waiting() {
    const product = await bestOf({ mode: 'approve' });
    expect((await product.json(['report'])).code).toBe(0);
    return { product, approve: (...args: string[]) => product.json(['budgets', 'approve', ...args]) };
  }

  it('of all lines makes them, decreases first', async () => {
    const { product, approve } = await waiting();
    expect((await approve('--rule', 'best')).code).toBe(0);
    expect(amounts(product)).toEqual(AFTER);
    checkTotals(product);
  });

  it('of a part of all lines keeps the total, rounded to what is free', async () => {
    const { product, approve } = await waiting();
    expect((await approve('--rule', 'best', '--part', '33.33%')).code).toBe(0);
    checkTotals(product);
    expect(sumOf(BEFORE) - sumOf(amounts(product))).toBeLessThan(50_000n);
  });

  it('of a smaller decrease frees less, so only a smaller increase is made', async () => {
    const { product, approve } = await waiting();
    expect((await approve(codeOf(product, ZELTE), '--amount', '80.00')).code).toBe(0);
    const whole = await approve(codeOf(product, BRAND));
    expect(whole.value.decisions).toMatchObject([{ code: 'NOT_FREED' }]);
    expect(whole.value.failures[0]).toContain('needs 6.00 EUR, but other budgets of best have freed only 5.00 EUR.');
    const small = micros(BRAND.from + 5_000_000n);
    expect((await approve(`${codeOf(product, BRAND)}=${small / 1_000_000n}`)).code).toBe(0);
    expect((await approve(codeOf(product, MARKE), '--amount', '40.01')).value.decisions).toMatchObject([
      { code: 'NOT_FREED' },
    ]);
    expect(amounts(product)).toEqual([80_000_000n, WATCHES.from, small, MARKE.from]);
    checkTotals(product);
  });

  it('of an increase alone is refused, and made after the decreases', async () => {
    const { product, approve } = await waiting();
    const early = await approve(codeOf(product, BRAND));
    expect(early.value.decisions).toMatchObject([{ state: 'refused', code: 'NOT_FREED' }]);
    expect(early.value.failures[0]).toMatch(
      /This increase needs 6\.00 EUR, but other budgets of best have freed only 0\.00 EUR\. \w{4} still awaits approval\. Approve the decreases first\./,
    );
    await approve(codeOf(product, WATCHES));
    expect((await approve(codeOf(product, BRAND))).code).toBe(1);
    await approve(codeOf(product, ZELTE));
    expect((await approve(codeOf(product, BRAND))).code).toBe(0);
    expect((await approve(codeOf(product, MARKE))).code).toBe(0);
    expect(amounts(product)).toEqual(AFTER);
    checkTotals(product);
  });

  it('of an increase is refused after a person raised the budget that gave, or undid its decrease', async () => {
    const { product, approve } = await waiting();
    await approve(codeOf(product, ZELTE));
    product.sandbox.setBudget(ALPEN, ZELTE.budget, micros(85_000_000n));
    expect((await approve(codeOf(product, BRAND))).value.decisions).toMatchObject([{ code: 'NOT_FREED' }]);
    product.sandbox.setBudget(ALPEN, ZELTE.budget, micros(ZELTE.to));
    expect((await product.run(['budgets', 'undo', 'B1', '--why', 'no'])).code).toBe(0);
    expect((await approve(codeOf(product, BRAND))).value.decisions).toMatchObject([{ code: 'NOT_FREED' }]);
    checkTotals(product);
  });

  it('of an increase is refused while an account of the target cannot be read', async () => {
    const { product, approve } = await waiting();
    await approve(codeOf(product, ZELTE));
    product.fault = ({ customerId, query }) =>
      customerId === ALPEN && query?.includes('campaign_budget') ? { kind: 'status', status: 500 } : undefined;
    const { value } = await approve(codeOf(product, BRAND));
    expect(value.decisions).toMatchObject([{ code: 'NOT_FREED' }]);
    expect(value.failures[0]).toContain('could not be read');
  });
});

describe('on paper', () => {
  it('each line of a reallocation has its value as the reason', async () => {
    const product = await bestOf();
    expect((await product.json(['report', '--dry-run'])).code).toBe(0);
    expect(product.sends()).toEqual([]);
    const { value } = await product.json(['rules', 'explain', 'best']);
    expect(value.subjects.map(({ explanation }: { explanation: string }) => explanation)).toContainEqual(
      expect.stringMatching(/^conversions_value \/ cost \(14\.69\), 2026-10-30 to 2026-11-12/),
    );
  });

  it('the total stays the same on each past day, in all accounts together', async () => {
    const product = await bestOf();
    expect((await product.json(['extract'])).code).toBe(0);
    const { value } = await product.json(['rules', 'backtest', 'best', '--from', '2026-11-14', '--to', '2026-11-19']);
    expect(value.rows.length).toBeGreaterThan(0);
    expect(value.rows.reduce((sum: number, row: Row) => sum + row.to_micros - row.from_micros, 0)).toBe(0);
    expect(new Set(value.rows.map((row: Row) => row.date))).toEqual(new Set(['2026-11-14']));
  });

  it('the total stays the same on each simulated day', async () => {
    const product = await bestOf({}, BEST.target.replace(/^.*GPS.*\n/m, ''));
    const { value } = await product.json(['simulate', '--days', '30']);
    // On days 1, 8, 15, 22 and 29.
    expect(value.rules).toMatchObject([{ rule: 'best', changes: 10 }]);
    const totals = value.by_day.map((day: { with: { budget_micros: number } }) => day.with.budget_micros);
    expect(new Set(totals)).toEqual(new Set([value.without.budget_micros_end]));
  });
});

interface Row {
  readonly date: string;
  readonly from_micros: number;
  readonly to_micros: number;
}
