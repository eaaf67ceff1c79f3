import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { NORTHWIND, putNorthwind } from '../../support/northwind-target.ts';
import { copiesOf, createProduct, isChange, type Product } from '../../support/product.ts';
import { TRIM_QUERIES } from '../../support/trim-rule.ts';

const EUR = '4081725530';
const GBP = '7350926148';
const OPTIONS = {
  mode: 'approve',
  queries: { 'campaign_spend.sql': NORTHWIND.query, ...TRIM_QUERIES },
  rules: {},
  customers: NORTHWIND.customers,
} as const;

async function firstPlanned(): Promise<Product> {
  const product = await createProduct(OPTIONS);
  putNorthwind(product.folder);
  const { code, value } = await product.json(['report']);
  expect([code, value.failures]).toEqual([0, []]);
  return product;
}

const planned = copiesOf(firstPlanned, OPTIONS);

const ZELTE = { budget: '11087046455', from: 85_000_000n, to: 170_000_000n };
const ROAD_BIKES = '13087061940';

const gbp = (units: bigint) => micros(units * 1_000_000n);
const proposals = (product: Product) =>
  product.rows('SELECT CAST(budget_id AS TEXT) AS budget, state FROM budget_proposal ORDER BY budget_id');
const codeOf = (product: Product, budget: string) =>
  String(product.rows(`SELECT code FROM budget_proposal WHERE budget_id = ${budget}`)[0]?.code);
const amounts = ({ sandbox }: Product) => [
  sandbox.budgetAmount(EUR, ZELTE.budget),
  sandbox.budgetAmount(EUR, '11087092910'),
  sandbox.budgetAmount(GBP, ROAD_BIKES),
];

async function planOf(): Promise<{ product: Product; approve: (...args: string[]) => ReturnType<Product['json']> }> {
  const product = await planned();
  putNorthwind(product.folder);
  return { product, approve: (...args) => product.json(['budgets', 'approve', ...args]) };
}

describe('an increase of a plan', () => {
  it('is refused while a person has taken the room of it, and half of it is made', async () => {
    const { product, approve } = await planOf();
    product.sandbox.setBudget(GBP, ROAD_BIKES, gbp(350n));
    const whole = await approve(codeOf(product, ZELTE.budget));
    expect(whole.code).toBe(1);
    expect(whole.value.decisions).toMatchObject([{ state: 'refused', code: 'BEYOND_PLAN' }]);
    expect(whole.value.failures).toEqual([
      expect.stringMatching(
        /The budgets of northwind would come to 624\.50 EUR today, but its target has room for 586\.56 EUR\. \w{4} still awaits approval\./,
      ),
    ]);
    expect(product.sends()).toEqual([]);
    const half = await approve(codeOf(product, ZELTE.budget), '--part', '50%');
    expect(half.code).toBe(0);
    expect(product.sandbox.budgetAmount(EUR, ZELTE.budget)).toBe(127_500_000n);
    expect(product.rows('SELECT from_micros, to_micros, reason FROM budget_intent')).toEqual([
      {
        from_micros: 85_000_000,
        to_micros: 127_500_000,
        reason: expect.stringContaining('(approved at a smaller step, 127.50 EUR instead of 170.00 EUR, by anna)'),
      },
    ]);
  });

  it('is refused on a new day whose costs were not read', async () => {
    const { product, approve } = await planOf();
    product.at('2026-11-21T08:00:00Z');
    const { value } = await approve(codeOf(product, ZELTE.budget));
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'PLAN_UNKNOWN' }]);
    expect(value.failures[0]).toContain('campaign_spend has no complete data for 2026-11-20');
    expect(proposals(product)).toContainEqual({ budget: ZELTE.budget, state: 'open' });
  });

  it('is refused without the rate, and without an account of the target', async () => {
    const { product, approve } = await planOf();
    const rates = join(product.folder, 'exchange_rates.csv');
    writeFileSync(rates, 'date,from,to,rate\n2026-11-10,GBP,EUR,1.17\n');
    const stale = await approve(codeOf(product, ZELTE.budget));
    expect(stale.value.failures[0]).toContain(
      'The room of northwind for today is unknown: the newest exchange rate of GBP to EUR is of 2026-11-10',
    );
    writeFileSync(rates, 'date,from,to,rate\n2026-11-19,GBP,EUR,1.17\n');
    product.fault = ({ customerId, query }) =>
      customerId === GBP && query !== undefined ? { kind: 'status', status: 500 } : undefined;
    const unread = await approve(codeOf(product, ZELTE.budget));
    expect(unread.value.failures[0]).toContain('The room of northwind for today is unknown');
    expect(product.sends()).toEqual([]);
    product.fault = undefined;
    expect((await approve(codeOf(product, ZELTE.budget))).code).toBe(0);
    expect(product.sandbox.budgetAmount(EUR, ZELTE.budget)).toBe(ZELTE.to);
  });
});

describe('an increase of a plan whose request was lost', () => {
  it('is not sent again, because a person may have taken its room meanwhile', async () => {
    const { product, approve } = await planOf();
    product.fault = (request) =>
      isChange(request) && request.body.includes(ZELTE.budget) ? { kind: 'reset_before' } : undefined;
    expect((await approve('--rule', 'northwind')).code).toBe(1);
    product.fault = undefined;
    const sent = product.sends().length;
    product.sandbox.setBudget(GBP, ROAD_BIKES, gbp(350n));
    product.at('2026-11-20T13:06:00Z');
    const { value } = await product.json(['report']);
    expect(value.settled).toMatchObject([{ to_micros: 170_000_000, state: 'rejected' }]);
    expect(product.sends()).toHaveLength(sent);
    expect(amounts(product)).toEqual([ZELTE.from, 33_510_000n, 350_000_000n]);
  });

  it('is not sent again without approvals either, and the decrease beside it is', async () => {
    const product = await createProduct({ ...OPTIONS, mode: 'apply' });
    putNorthwind(product.folder, NORTHWIND.target.replace('mode: approve', 'mode: apply'));
    product.fault = (request) =>
      isChange(request) && request.customerId === EUR ? { kind: 'reset_before' } : undefined;
    expect((await product.json(['report'])).code).toBe(1);
    expect(amounts(product)).toEqual([ZELTE.from, 45_000_000n, 61_110_000n]);
    product.fault = undefined;
    product.at('2026-11-20T13:06:00Z');
    const { value } = await product.json(['report']);
    expect(value.settled).toMatchObject([
      { to_micros: 170_000_000, state: 'rejected' },
      { to_micros: 33_510_000, state: 'applied' },
    ]);
    expect(amounts(product)).toEqual([ZELTE.from, 33_510_000n, 61_110_000n]);
  });
});

describe('a whole plan', () => {
  it('makes its decreases, and says why it makes no increase, if an account of it is gone', async () => {
    const { product } = await planOf();
    const env = { ADS_CUSTOMER_IDS: EUR };
    const args = ['budgets', 'approve', '--rule', 'northwind', '--format', 'json'];
    const { code, stdout } = await product.run(args, { env });
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(
        `The room of northwind for today is unknown: account ${GBP} is not among the accounts of this run.`,
      ),
    ]);
    expect(amounts(product)).toEqual([85_000_000n, 33_510_000n, 95_000_000n]);
  });

  it('is made in one run, decreases first, each line with its own record', async () => {
    const { product, approve } = await planOf();
    const { code, value } = await approve('--rule', 'northwind', '--why', 'agreed');
    expect([code, value.failures]).toEqual([0, []]);
    expect(amounts(product)).toEqual([170_000_000n, 33_510_000n, 61_110_000n]);
    const changes = product.rows('SELECT from_micros, to_micros, run_id FROM budget_intent ORDER BY id');
    expect(changes.map(({ from_micros, to_micros }) => Number(to_micros) > Number(from_micros))).toEqual([
      false,
      false,
      true,
    ]);
    expect(new Set(changes.map(({ run_id }) => run_id)).size).toBe(1);
    expect(proposals(product).map(({ state }) => state)).toEqual(['approved', 'approved', 'approved']);
    const again = await product.run(['budgets', 'approve', '--rule', 'northwind']);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('No change of northwind awaits approval.')]);
  });

  it('is made as far as it goes: a line that a person changed says so, and the others are made', async () => {
    const { product, approve } = await planOf();
    product.sandbox.setBudget(GBP, ROAD_BIKES, gbp(96n));
    const { code, value } = await approve('--rule', 'northwind');
    expect(code).toBe(1);
    expect(value.decisions.map(({ state }: { state: string }) => state).sort()).toEqual([
      'applied',
      'applied',
      'refused',
    ]);
    expect(amounts(product)).toEqual([170_000_000n, 33_510_000n, 96_000_000n]);
  });

  it('still waits after a report of another query', async () => {
    const { product } = await planOf();
    expect((await product.json(['report', '--query', 'stats'])).code).toBe(0);
    expect(proposals(product).map(({ state }) => state)).toEqual(['open', 'open', 'open']);
  });

  it('stands in the list with its total before and after', async () => {
    const { product } = await planOf();
    const { value } = await product.json(['budgets', 'list']);
    expect(value.plans).toEqual([
      expect.objectContaining({
        plan: 'northwind',
        changes: 3,
        currency: 'EUR',
        budget_micros: 241_150_000,
        should_be_micros: 275_008_700,
      }),
    ]);
  });

  it.each([[['K7PX', '--rule', 'northwind']], [[]], [['K7PX', '--part', '0%']], [['K7PX', '--part', '101%']]])(
    'is not approved by %j',
    async (args) => {
      const { product } = await planOf();
      expect((await product.run(['budgets', 'approve', ...args])).code).toBe(2);
      expect(product.mutates().filter(isChange)).toEqual([]);
    },
  );
});

it('pacing says how much is missing after a guard has refused an increase', async () => {
  const { product, approve } = await planOf();
  await product.json(['budgets', 'reject', codeOf(product, ZELTE.budget)]);
  expect((await approve('--rule', 'northwind')).code).toBe(0);
  const { stdout } = await product.run(['pacing']);
  expect(stdout).toContain('85.00 EUR a day is missing: increases were refused. The next report shares it again.');
});
