import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { BUDGET, copiesOf, createProduct, isChange, type Product, type ProductOptions } from '../../support/product.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR } = TRIMMED;

/** A product whose report has cut the budget: change B1, 60.00 EUR to 51.00 EUR. */
async function cutBy(options: ProductOptions = {}): Promise<Product> {
  const product = await createProduct(options);
  expect((await product.run(['report'])).code).toBe(0);
  expect(product.amount()).toBe(51_000_000n);
  return product;
}

const cut = copiesOf(cutBy);

const GO_BEYOND = 'Add "--beyond-limits --by NAME" to undo it anyway.';

const changes = (product: Product) =>
  product.rows('SELECT id, kind, undoes, actor, state, from_micros, to_micros FROM budget_intent ORDER BY id');

describe('pacekeeper budgets undo', () => {
  it('sets the old amount at once, as a separate change with who and why, and sends an alert', async () => {
    const product = await cut();
    const { code, stdout } = await product.run(['budgets', 'undo', 'B1', '--why', 'the sale goes on']);
    expect(code).toBe(0);
    expect(stdout).toContain('CHANGED  Generisch - Wanderschuhe (campaign 17204104729): 51.00 to 60.00 EUR');
    expect(product.amount()).toBe(60_000_000n);
    expect(changes(product)).toMatchObject([
      { id: 1, kind: 'rule', state: 'applied' },
      {
        id: 2,
        kind: 'undo',
        undoes: 1,
        actor: 'anna',
        state: 'applied',
        from_micros: 51_000_000,
        to_micros: 60_000_000,
      },
    ]);
    expect(product.sandbox.messages().at(-1)?.body).toMatch(
      /^Budget change undone by anna: .*\n51\.00 EUR to 60\.00 EUR \(\+17\.6%\)\nWhy: the sale goes on \(undoes B1 by rule trim@/,
    );
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });

  it.each(['B1', '1', 'b1', ' B1 '])('accepts the number as %j', async (number) => {
    const product = await cut();
    expect((await product.run(['budgets', 'undo', number])).code).toBe(0);
    expect(product.amount()).toBe(60_000_000n);
  });

  it('ignores mode, cooldown and the daily change, and rules leave the budget unchanged for the day', async () => {
    const product = await cutBy({
      rules: { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('step: 20%', 'step: 20%, cooldown: 3 days') },
    });
    product.reconfigure('propose');
    expect((await product.run(['budgets', 'undo', 'B1'])).code).toBe(0);
    expect(product.amount()).toBe(60_000_000n);
    product.reconfigure('apply');
    const same = await product.json(['report']);
    expect(same.value.decisions).toMatchObject([{ state: 'refused', code: 'ALREADY_DECIDED_TODAY' }]);
    product.at('2026-11-21T12:00:00Z');
    const next = await product.json(['report']);
    expect(next.value.decisions).toMatchObject([
      {
        state: 'refused',
        code: 'COOLDOWN',
        detail: `Budget ${BUDGET} was changed by an undo on 2026-11-20: the cooldown of 3 days lasts until 2026-11-23.`,
      },
    ]);
    expect(product.amount()).toBe(60_000_000n);
  });

  it('can itself be undone, which makes the change again', async () => {
    const product = await cut();
    await product.run(['budgets', 'undo', 'B1']);
    const redo = await product.run(['budgets', 'undo', 'B2']);
    expect(redo.code).toBe(0);
    expect(product.amount()).toBe(51_000_000n);
    expect(changes(product).map(({ undoes }) => undoes)).toEqual([null, 1, 2]);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });

  it.each<[sentence: string, before: (product: Product) => unknown, code: string, detail: RegExp]>([
    [
      'of a budget that shows another amount, which may be older than the change',
      (product) => product.sandbox.setBudget(EUR, BUDGET, micros(60_000_000n)),
      'AMOUNT_IN_DOUBT',
      /^Budget \d+ shows 60\.00 EUR, expected 51\.00 EUR: .* A read after 2026-11-20 13:00:00 UTC shows the outcome\.$/,
    ],
    [
      'of a change that a later one followed',
      async (product) => {
        product.at('2026-11-21T12:00:00Z');
        await product.run(['report']);
      },
      'FOREIGN_CHANGE',
      /^B1 set 51\.00 EUR, and the budget is now 43\.35 EUR: rule trim@\w+ changed it since, as B2\.$/,
    ],
  ])('%s is refused with the reason, sends nothing and exits with 1', async (_sentence, before, refusal, detail) => {
    const product = await cut();
    await before(product);
    const sent = product.mutates().length;
    const amount = product.amount();
    const rows = changes(product).length;
    const { code, value } = await product.json(['budgets', 'undo', 'B1']);
    expect([code, value.run.exit_code]).toEqual([1, 1]);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: refusal, detail: expect.stringMatching(detail) }]);
    expect([product.mutates().length, product.amount(), changes(product).length]).toEqual([sent, amount, rows]);
  });

  it('is refused if the old amount is above the ceiling of the change', async () => {
    // 60.00 EUR is above the ceiling of 55.00 EUR: the rule may bring it below, and a plain undo does not bring it back.
    const product = await createProduct({
      rules: { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('ceiling: 200', 'ceiling: 55') },
    });
    await product.run(['report']);
    expect(product.amount()).toBe(51_000_000n);
    const { code, value } = await product.json(['budgets', 'undo', 'B1']);
    expect(code).toBe(1);
    expect(value.decisions).toMatchObject([
      { code: 'AT_CEILING', detail: `The old amount of 60.00 EUR is above the ceiling of 55.00 EUR. ${GO_BEYOND}` },
    ]);
  });

  it('is refused if the old amount is below the floor of the change', async () => {
    const rule = TRIM_RULES['trim.yaml'].replace('decrease', 'increase').replace('floor: 5', 'floor: 65');
    const product = await createProduct({ rules: { 'raise.yaml': rule } });
    await product.run(['report']);
    expect(product.amount()).toBe(69_000_000n);
    const { code, value } = await product.json(['budgets', 'undo', 'B1']);
    expect(code).toBe(1);
    expect(value.decisions).toMatchObject([
      { code: 'AT_FLOOR', detail: `The old amount of 60.00 EUR is below the floor of 65.00 EUR. ${GO_BEYOND}` },
    ]);
    expect(product.amount()).toBe(69_000_000n);
  });

  it.each([
    ['of a number that there is not', 'B7', 'No such change: B7.'],
    ['of no number', 'trim', 'Invalid change number: found "trim", expected one such as B12.'],
    ['of a number beyond what a file holds', 'B9999999999999999999', 'expected one such as B12.'],
    ['of nought', 'B0', 'expected one such as B12.'],
  ])('%s exits with 2 and a next step', async (_words, number, words) => {
    const product = await cut();
    const { code, stdout, stderr } = await product.run(['budgets', 'undo', number]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(stderr).toContain('next step: Run pacekeeper budgets history to see the');
    expect(product.amount()).toBe(51_000_000n);
  });

  it.each([
    ['an empty reason', ['--why', ' '], /The reason is empty/],
    ['a name of nothing', ['--by', ''], /No name is known/],
  ])('with %s exits with 2 and does nothing', async (_words, options, words) => {
    const product = await cut();
    const { code, stderr } = await product.run(['budgets', 'undo', 'B1', ...options]);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(product.amount()).toBe(51_000_000n);
  });

  it('exits with 1 if the service rejects it or the answer is lost', async () => {
    const rejected = await cut();
    const errorCode = { campaignBudgetError: 'MONEY_AMOUNT_TOO_LARGE' };
    rejected.fault = (request) =>
      isChange(request) ? { kind: 'refuse_operations', indexes: [0], errorCode } : undefined;
    const refused = await rejected.json(['budgets', 'undo', 'B1']);
    expect([refused.code, refused.value.decisions[0].state]).toEqual([1, 'rejected']);

    const lost = await cut();
    lost.fault = (request) => (isChange(request) ? { kind: 'reset_after' } : undefined);
    // A command's clock runs on from here while it works: the next command begins later than it ended.
    lost.at('2026-11-20T12:05:00Z');
    const unknown = await lost.json(['budgets', 'undo', 'B1']);
    expect([unknown.code, unknown.value.decisions[0].state]).toEqual([1, 'unknown']);
    lost.fault = undefined;
    lost.at('2026-11-20T12:10:00Z');
    expect((await lost.json(['budgets', 'undo', 'B2'])).value.decisions[0].code).toBe('NOT_MADE');
    // It had 60.00 a moment ago: a reading that shows it may be of before the first change.
    expect((await lost.run(['budgets', 'reconcile'])).code).toBe(1);
    lost.at('2026-11-20T13:10:00Z');
    expect((await lost.run(['budgets', 'reconcile'])).code).toBe(0);
    expect(changes(lost).map(({ state }) => state)).toEqual(['applied', 'confirmed']);
  });
});

describe('an undo in doubt', () => {
  it('awaits a person on the page until a report fails because of it, whatever failed for the same budget', async () => {
    const product = await cut();
    const errorCode = { campaignBudgetError: 'MONEY_AMOUNT_TOO_LARGE' };
    product.fault = (request) =>
      isChange(request) ? { kind: 'refuse_operations', indexes: [0], errorCode } : undefined;
    product.at('2026-11-21T12:00:00Z');
    const { code, value } = await product.json(['report']);
    expect([code, value.failures]).toEqual([1, [expect.stringMatching(`^The change of budget ${BUDGET} of account`)]]);
    product.fault = (request) => (isChange(request) ? { kind: 'reset_before' } : undefined);
    product.at('2026-11-21T12:05:00Z');
    expect((await product.run(['budgets', 'undo', 'B1'])).code).toBe(1);
    await product.run(['publish']);
    const page = readFileSync(join(product.folder, 'data', 'report.html'), 'utf8');
    expect(page).toContain('51.00 to 60.00 EUR is in doubt, B3. Run pacekeeper budgets reconcile.');

    product.at('2026-11-21T12:10:00Z');
    const again = await product.json(['report']);
    expect(again.value).toMatchObject({ failures: [expect.stringContaining('has an unknown outcome')], needs: [] });
  });
});

describe('pacekeeper budgets undo beyond the account limits', () => {
  /** One euro less than the account's budgets came to before the change. */
  const bounded = async (bound: 'daily_total' | 'daily_exposure') => {
    const product = await cut();
    const account = product.sandbox.market.accounts.find(({ customerId }) => customerId === EUR);
    const total = account?.budgets.reduce((sum, { amountMicros }) => sum + amountMicros, 0n) ?? 0n;
    const amounts = { daily_total: total - 1_000_000n, daily_exposure: 2n * (total - 1_000_000n) };
    const units = amounts[bound] / 1_000_000n;
    product.reconfigure('apply', `accounts: { ${EUR}: { ${bound}: ${units} } }`);
    return product;
  };

  it('is refused by daily_total; a named person may exceed it, which is recorded', async () => {
    const product = await bounded('daily_total');
    const refused = await product.json(['budgets', 'undo', 'B1', '--by', 'anna']);
    expect([refused.code, refused.value.decisions[0].code]).toEqual([1, 'ACCOUNT_TOTAL']);
    expect(refused.value.decisions[0].detail).toMatch(
      /is allowed\. Add "--beyond-limits --by NAME" to undo it anyway\.$/,
    );
    expect([product.amount(), product.sends().length]).toEqual([51_000_000n, 0]);

    const done = await product.run(['budgets', 'undo', 'B1', '--beyond-limits', '--by', 'Berta B.']);
    expect([done.code, product.amount()]).toEqual([0, 60_000_000n]);
    const [event] = product.rows("SELECT actor, detail FROM budget_event WHERE kind = 'planned' AND intent_id = 2");
    expect([event?.actor, JSON.parse(String(event?.detail)).beyond_limits]).toEqual(['Berta B.', 'ACCOUNT_TOTAL']);
    const { value } = await product.json(['budgets', 'history']);
    expect(value.changes.map((one: { beyond_limits: unknown }) => one.beyond_limits)).toEqual(['ACCOUNT_TOTAL', null]);
    const { stdout } = await product.run(['budgets', 'history']);
    expect(stdout).toContain('beyond limits (ACCOUNT_TOTAL), decided by Berta B.');
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });

  it('is refused by daily_exposure on a later day, but not on the day of the change', async () => {
    const product = await bounded('daily_exposure');
    product.at('2026-11-21T12:00:00Z');
    expect((await product.json(['budgets', 'undo', 'B1'])).value.decisions[0].code).toBe('EXPOSURE');
    product.at('2026-11-20T13:00:00Z');
    expect((await product.run(['budgets', 'undo', 'B1'])).code).toBe(0);
  });

  it('exceeds no limit without a name, and records no override if no limit applies', async () => {
    const product = await cut();
    const unnamed = await product.run(['budgets', 'undo', 'B1', '--beyond-limits']);
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('next step: Add --by NAME.')]);
    expect((await product.run(['budgets', 'undo', 'B1', '--beyond-limits', '--by', 'anna'])).code).toBe(0);
    expect((await product.json(['budgets', 'history'])).value.changes[0].beyond_limits).toBeNull();
  });
});

describe('an undo while budgets are frozen', () => {
  const FREEZES: readonly (readonly [string, (product: Product) => unknown])[] = [
    ['by a person', (product) => product.run(['freeze', '--why', 'something is wrong', '--by', 'ben'])],
    ['by the file FREEZE', (product) => writeFileSync(join(product.folder, 'data', 'FREEZE'), 'something is wrong')],
  ];

  it.each(FREEZES)('%s is refused, with the option to undo anyway', async (_words, freeze) => {
    const product = await cut();
    await freeze(product);
    const { code, stdout } = await product.run(['budgets', 'undo', 'B1'], { width: 1000 });
    expect([code, stdout]).toEqual([1, expect.stringContaining('pacekeeper budgets undo B1 --despite-freeze')]);
    expect(product.amount()).toBe(51_000_000n);
  });

  it.each(FREEZES)(
    '%s takes back what did damage when a named person says so, and the record has it',
    async (_words, freeze) => {
      const product = await cut();
      await freeze(product);
      const undo = ['budgets', 'undo', 'B1', '--despite-freeze', '--by', 'berta', '--why', 'it did damage'];
      expect(await product.run(undo)).toMatchObject({ code: 0 });
      expect(product.amount()).toBe(60_000_000n);
      const [event] = product.rows(
        "SELECT actor, detail ->> 'reason' AS reason FROM budget_event WHERE kind = 'planned' ORDER BY id DESC",
      );
      expect(event).toEqual({
        actor: 'berta',
        reason: expect.stringMatching(
          /^it did damage, despite the freeze: frozen by .*something is wrong \(undoes B1 by rule trim@/,
        ),
      });
      product.at('2026-11-22T12:00:00Z');
      expect((await product.run(['report'])).code).toBe(0);
      expect(product.amount()).toBe(60_000_000n);
      expect((await product.run(['audit', 'verify'])).code).toBe(0);
    },
  );
});
