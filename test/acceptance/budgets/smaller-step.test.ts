import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { NORTHWIND, putNorthwind } from '../../support/northwind-target.ts';
import { copiesOf, createProduct, isChange, type Product } from '../../support/product.ts';
import { TRIM_QUERIES } from '../../support/trim-rule.ts';

async function firstProposed(): Promise<Product> {
  const product = await createProduct({ mode: 'approve' });
  expect((await product.run(['report'])).code).toBe(0);
  return product;
}

/** One change of 60.00 to 51.00 EUR awaits approval. */
const proposed = copiesOf(firstProposed, { mode: 'approve' });

const codeOf = (product: Product) => String(product.rows('SELECT code FROM budget_proposal')[0]?.code);
const recorded = (product: Product) => [
  product.amount(),
  product.events(),
  product.rows('SELECT * FROM budget_proposal'),
  product.rows('SELECT * FROM budget_intent'),
];

describe('a smaller step', () => {
  it.each([
    ['1e2', 2, 'Invalid amount'],
    ['５５', 2, 'Invalid amount'],
    ['', 2, 'Invalid amount'],
    ['55,00', 2, 'Invalid amount'],
    ['9223372036854775808', 2, 'Invalid amount'],
    ['0', 1, '0.00 EUR is no smaller step of the change from 60.00 EUR to 51.00 EUR.'],
    ['50.99', 1, '50.99 EUR is no smaller step'],
    ['60.01', 1, '60.01 EUR is no smaller step'],
    ['9223372036854', 1, 'is no smaller step'],
    ['55.505', 1, '55.505 EUR'],
    ['60.00', 1, 'Nothing was changed'],
  ])('of %j is refused with exit code %i, and nothing is recorded or sent', async (amount, exitCode, words) => {
    const product = await proposed();
    const before = recorded(product);
    const args = ['budgets', 'approve', codeOf(product), `--amount=${amount}`, '--format', 'json'];
    const { code, stdout, stderr } = await product.run(args);
    expect([code, stdout + stderr]).toEqual([exitCode, expect.stringContaining(words)]);
    expect([recorded(product), product.mutates()]).toEqual([before, []]);
  });

  it.each([[['--amount=55', '--part', '50%']], [['XXXX', '--amount=55']], [['--rule', 'trim', '--amount=55']]])(
    'with %j is refused',
    async (args) => {
      const product = await proposed();
      const before = recorded(product);
      const named = args.includes('--rule') ? args : [codeOf(product), ...args];
      expect((await product.run(['budgets', 'approve', ...named])).code).toBe(2);
      expect(recorded(product)).toEqual(before);
    },
  );

  it('of a change that is named twice is refused', async () => {
    const product = await proposed();
    const code = codeOf(product);
    const { code: exitCode, stderr } = await product.run(['budgets', 'approve', code, `${code.toLowerCase()}=55.00`]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${code} is named twice.`)]);
    expect(product.mutates()).toEqual([]);
  });

  it('is made within the guards, and the record has both amounts', async () => {
    const product = await proposed();
    const code = codeOf(product);
    expect((await product.run(['budgets', 'approve', code, '--amount', '55.00', '--why', 'slowly'])).code).toBe(0);
    expect([product.amount(), product.sends().length]).toEqual([55_000_000n, 1]);
    expect(product.rows('SELECT to_micros FROM budget_proposal')).toEqual([{ to_micros: 51_000_000 }]);
    expect(product.rows('SELECT from_micros, to_micros, reason FROM budget_intent')).toEqual([
      {
        from_micros: 60_000_000,
        to_micros: 55_000_000,
        reason: expect.stringContaining(
          '(approved at a smaller step, 55.00 EUR instead of 51.00 EUR, by anna: slowly)',
        ),
      },
    ]);
    const [event] = product.rows("SELECT detail FROM budget_event WHERE kind = 'approved'");
    expect(JSON.parse(String(event?.detail))).toMatchObject({ to_micros: '51000000', approved_micros: '55000000' });
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
    // Undo and the rules start from what was made.
    expect((await product.run(['budgets', 'undo', 'B1', '--why', 'no'])).code).toBe(0);
    expect(product.amount()).toBe(60_000_000n);
  });

  it('of the proposed amount is the whole change', async () => {
    const product = await proposed();
    expect((await product.run(['budgets', 'approve', codeOf(product), '--amount', '51'])).code).toBe(0);
    expect(product.rows('SELECT reason FROM budget_intent')).toEqual([
      { reason: expect.stringContaining('(approved by anna)') },
    ]);
  });

  it('is refused during a freeze, and while the account’s amount is another one', async () => {
    const product = await proposed();
    const approve = () => product.json(['budgets', 'approve', codeOf(product), '--amount', '55.00']);
    await product.run(['freeze', '--why', 'prices are wrong']);
    expect((await approve()).value.decisions).toMatchObject([{ state: 'refused', code: 'FROZEN' }]);
    await product.run(['unfreeze', '--why', 'right']);
    product.sandbox.setBudget('4081725530', '11087030970', micros(70_000_000n));
    expect((await approve()).code).toBe(1);
    expect(product.sends()).toEqual([]);
  });
});

const PLAN = {
  mode: 'approve',
  queries: { 'campaign_spend.sql': NORTHWIND.query, ...TRIM_QUERIES },
  rules: {},
  customers: NORTHWIND.customers,
} as const;

const planned = copiesOf(async () => {
  const product = await createProduct(PLAN);
  putNorthwind(product.folder);
  expect((await product.json(['report'])).code).toBe(0);
  return product;
}, PLAN);

const EUR = '4081725530';
const UP = { budget: '11087046455', from: 85_000_000n, to: 170_000_000n };
const DOWN = { budget: '11087092910', from: 45_000_000n, to: 33_510_000n };

describe('several changes', () => {
  const waiting = async () => {
    const product = await planned();
    putNorthwind(product.folder);
    const rows = product.rows('SELECT code, CAST(budget_id AS TEXT) AS budget FROM budget_proposal');
    const code = ({ budget }: { readonly budget: string }) => String(rows.find((one) => one.budget === budget)?.code);
    const now = () => [UP, DOWN].map(({ budget }) => product.sandbox.budgetAmount(EUR, budget));
    return { product, up: code(UP), down: code(DOWN), now };
  };

  it('are approved together, decreases first, some with a smaller step', async () => {
    const { product, up, down, now } = await waiting();
    const { code, value } = await product.json(['budgets', 'approve', `${up}=100.00`, down]);
    expect([code, value.failures]).toEqual([0, []]);
    expect(now()).toEqual([100_000_000n, DOWN.to]);
    expect(product.rows('SELECT CAST(budget_id AS TEXT) AS budget FROM budget_intent ORDER BY id')).toEqual([
      { budget: DOWN.budget },
      { budget: UP.budget },
    ]);
    expect(product.rows("SELECT count(*) AS n FROM budget_proposal WHERE state = 'open'")).toEqual([{ n: 1 }]);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });

  it('are each done or still open after a crash between them, and none is made twice', async () => {
    const { product, up, down, now } = await waiting();
    let changes = 0;
    const lives = product.fault;
    product.fault = (request) => {
      if (isChange(request)) changes += 1;
      return isChange(request) && changes === 2 ? { kind: 'reset_before' } : lives?.(request);
    };
    expect((await product.json(['budgets', 'approve', up, down])).code).toBe(1);
    product.fault = undefined;
    expect(now()).toEqual([UP.from, DOWN.to]);
    const again = await product.json(['budgets', 'approve', up, down]);
    expect(again.code).toBe(1);
    expect(again.value.decisions.map(({ code }: { code: string }) => code)).toEqual([
      'DECIDED_ALREADY',
      'DECIDED_ALREADY',
    ]);
    expect(now()).toEqual([UP.from, DOWN.to]);
  });

  it('are rejected with one reason, and one that was decided meanwhile says by whom', async () => {
    const { product, up, down } = await waiting();
    expect((await product.run(['budgets', 'approve', down])).code).toBe(0);
    const { code, stdout, stderr } = await product.run(['budgets', 'reject', up, down, '--why', 'too much']);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${up} is rejected`)]);
    expect(stderr).toContain(`Proposal ${down} was approved by anna`);
    const why = product.rows("SELECT detail FROM budget_event WHERE kind = 'declined'");
    expect(why.map(({ detail }) => JSON.parse(String(detail)).why)).toEqual(['too much']);
    expect((await product.run(['budgets', 'reject', up, down])).code).toBe(2);
  });
});
