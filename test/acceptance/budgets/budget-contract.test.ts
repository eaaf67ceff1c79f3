import { describe, expect, it } from 'vitest';
import { wasMade } from '../../../src/views/report/decision-words.ts';
import { BUDGET, createProduct, isChange, type Product } from '../../support/product.ts';
import { byEngine } from '../../support/state.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { createWorld } from '../../support/world.ts';

const { customerId: EUR } = TRIMMED;
const TRIM = TRIM_RULES['trim.yaml'];
const ALL = {
  'stats.sql': `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
    FROM keyword_view WHERE segments.date DURING LAST_7_DAYS`,
};
/** Fires for every campaign of an account. */
const everywhere = (currency: string, change: string, limits = '{ floor: 1 }') => ({
  'all.yaml': TRIM.replace(/when: .*/, 'when: clicks >= 1')
    .replace('currency: EUR', `currency: ${currency}`)
    .replace(/change: .*/, `change: ${change}`)
    .replace(/limits: .*/, `limits: ${limits}`),
});

const COLUMNS = {
  sqlite: (table: string) => `SELECT name FROM pragma_table_info('${table}')`,
  postgres: (table: string) => `SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'pacekeeper' AND table_name = '${table}' ORDER BY ordinal_position`,
};

interface Body {
  readonly operations: readonly { readonly update: { readonly amountMicros: string; readonly resourceName: string } }[];
  readonly validateOnly: boolean;
}

/** Every request that changes is one that was validated before, word for word but for the flag; and nothing else is in it. */
function expectContract(product: Pick<Product, 'mutates'>): readonly Body[] {
  const validated: string[] = [];
  const bodies = product.mutates().map(({ body }) => JSON.parse(body) as Body);
  for (const body of bodies) {
    expect(Object.keys(body).sort()).toEqual(['operations', 'partialFailure', 'validateOnly']);
    expect(body).toMatchObject({ partialFailure: true, validateOnly: expect.any(Boolean) });
    for (const operation of body.operations) {
      expect(operation).toEqual({
        updateMask: 'amount_micros',
        update: {
          resourceName: expect.stringMatching(/^customers\/\d+\/campaignBudgets\/\d+$/),
          amountMicros: expect.stringMatching(/^[1-9]\d*$/),
        },
      });
    }
    const said = JSON.stringify(body.operations);
    if (body.validateOnly) validated.push(said);
    else expect(validated).toContain(said);
  }
  return bodies;
}

describe('the contract of budget changes', () => {
  it('has the tables with these columns', async () => {
    const product = await createProduct();
    await product.run(['report']);
    const columns = (table: string) => product.rows(byEngine(COLUMNS)(table)).map(({ name }) => name);
    expect(columns('budget_event')).toEqual([
      'id',
      'intent_id',
      'kind',
      'actor',
      'detail',
      'created_at',
      'previous_hash',
      'hash',
    ]);
    expect(columns('budget_intent')).toEqual(
      expect.arrayContaining([
        'id',
        'customer_id',
        'budget_id',
        'rule',
        'from_micros',
        'to_micros',
        'state',
        'code',
        'reason',
        'created_at',
        'updated_at',
      ]),
    );
    expect(
      product.rows('SELECT customer_id, budget_id, rule, from_micros, to_micros, state, code FROM budget_intent'),
    ).toEqual([
      {
        customer_id: Number(EUR),
        budget_id: Number(BUDGET),
        rule: 'trim',
        from_micros: 60_000_000,
        to_micros: 51_000_000,
        state: 'applied',
        code: null,
      },
    ]);
  });

  it('sends the same fields in every mutate: rule, approval, undo and reconciliation', async () => {
    const product = await createProduct({ queries: ALL, rules: everywhere('EUR', 'decrease budget by 10%') });
    await product.run(['report']);
    product.fault = (request) => (isChange(request) ? { kind: 'reset_before' } : undefined);
    expect((await product.run(['budgets', 'undo', 'B1'])).code).toBe(1);
    product.fault = undefined;
    product.at('2026-11-20T13:00:01Z');
    expect((await product.run(['budgets', 'reconcile'])).code).toBe(0);
    product.reconfigure('approve');
    product.at('2026-11-21T12:00:00Z');
    const { value } = await product.json(['report']);
    const codes = value.decisions.flatMap(({ proposal }: { proposal: string | null }) => proposal ?? []);
    expect(codes.length).toBeGreaterThan(2);
    for (const code of codes.slice(0, 2)) expect((await product.run(['budgets', 'approve', code])).code).toBe(0);

    const bodies = expectContract(product);
    const sent = bodies.filter(({ validateOnly }) => !validateOnly);
    // All of the account in one request, the undo twice with the same amount, two approvals.
    expect(sent.map(({ operations }) => operations.length)).toEqual([expect.any(Number), 1, 1, 1, 1]);
    expect(sent[0]?.operations.length).toBeGreaterThan(5);
    expect(sent[1]).toEqual(sent[2]);
    for (const { operations } of sent) {
      const names = operations.map(({ update }) => update.resourceName);
      expect(new Set(names).size).toBe(names.length);
    }
    expect((await product.json(['audit', 'verify'])).value).toMatchObject({ sound: true });
  });

  it('counts only changes that were made if one of many is refused, and exits with 1', async () => {
    const product = await createProduct({ queries: ALL, rules: everywhere('EUR', 'decrease budget by 10%') });
    const errorCode = { campaignBudgetError: 'MONEY_AMOUNT_TOO_LARGE' };
    product.fault = (request) =>
      isChange(request) ? { kind: 'refuse_operations', indexes: [1], errorCode } : undefined;
    const { code, value } = await product.json(['report']);
    expect(code).toBe(1);
    const states = value.decisions.map(({ state }: { state: string }) => state);
    expect(states.filter((state: string) => state === 'rejected')).toHaveLength(1);
    const changed = product.rows("SELECT budget_id, to_micros FROM budget_intent WHERE state = 'applied'");
    expect(changed.length).toBeGreaterThan(4);
    for (const { budget_id: id, to_micros: to } of changed) {
      expect(product.sandbox.budgetAmount(EUR, String(id))).toBe(BigInt(Number(to)));
    }
    const [refused] = product.rows("SELECT budget_id, from_micros, code FROM budget_intent WHERE state = 'rejected'");
    expect(refused?.code).toBe('campaignBudgetError.MONEY_AMOUNT_TOO_LARGE');
    expect(product.sandbox.budgetAmount(EUR, String(refused?.budget_id))).toBe(BigInt(Number(refused?.from_micros)));
    expect((await product.json(['audit', 'verify'])).value).toMatchObject({ sound: true });
  });
});

describe('amounts', () => {
  it('in yen are whole yen in the rule, the service, the audit trail and the messages', async () => {
    const product = await createProduct({
      queries: ALL,
      rules: everywhere('JPY', 'decrease budget by 7.7%', '{ floor: 100 }'),
      customers: '9264813507',
    });
    const { code, value } = await product.json(['report']);
    expect([code, value.failures]).toEqual([0, []]);
    const sent = expectContract(product).flatMap(({ operations }) => operations);
    expect(sent.length).toBeGreaterThan(5);
    for (const { update } of sent) expect(BigInt(update.amountMicros) % 1_000_000n).toBe(0n);
    for (const { detail } of product.rows("SELECT detail FROM budget_event WHERE kind = 'applied'")) {
      expect(String(JSON.parse(String(detail)).to_micros)).toMatch(/^\d+000000$/);
    }
    for (const { body } of product.sandbox.messages()) expect(body).toMatch(/\n[\d,]+ JPY to [\d,]+ JPY \(-7\.7%\)\n/);
    const { stdout } = await product.run(['budgets', 'history'], { columns: 200 });
    expect(stdout).toMatch(/ [\d,]+ JPY +[\d,]+ JPY {2}all /);
    // 7.7% less, rounded towards what it was.
    for (const { from_micros: from, to_micros: to } of product.rows(
      'SELECT from_micros, to_micros FROM budget_intent',
    )) {
      expect(Number(to)).toBe(Math.ceil((Number(from) * 923) / 1000 / 1_000_000) * 1_000_000);
    }
  });

  it('in a currency with three decimals are whole thousandths', async () => {
    const world = await createWorld({
      strict: true,
      queries: ALL,
      rules: everywhere('KWD', 'decrease budget by 15.0037%'),
      config: `automation: { mode: apply }
accounts:
  408-172-5530: { currency: KWD, time_zone: Europe/Berlin }
budgets:
  4081725530:
    11087030970: { amount: 60.125, campaigns: [17204104729] }
`,
      env: { ADS_CUSTOMER_IDS: EUR },
    });
    // The sandbox's own currency has no thousandths: here it takes what it is sent.
    world.fault = ({ kind }) => (kind === 'mutate' ? { kind: 'replace', body: '{}' } : undefined);
    const result = await world.report();
    expect(result.failures).toEqual([]);
    // 60.125 KWD less 15.0037% are 51.1040253…: the next thousandth towards what it was.
    expect(result.decisions.filter(wasMade)).toMatchObject([{ from: 60_125_000n, to: 51_105_000n, currency: 'KWD' }]);
    const bodies = expectContract({ mutates: () => world.sandbox.requests.filter(({ kind }) => kind === 'mutate') });
    expect(bodies.map(({ operations }) => operations[0]?.update.amountMicros)).toEqual(['51105000', '51105000']);
    expect(world.sandbox.messages()[0]?.body).toContain('60.125 KWD to 51.105 KWD');
  });

  it('that differ by less than the smallest unit are no change', async () => {
    const product = await createProduct({
      queries: ALL,
      rules: everywhere('JPY', 'decrease budget by 0.001%', '{ floor: 100 }'),
      customers: '9264813507',
    });
    const { code, value } = await product.json(['report']);
    expect(code).toBe(0);
    expect(new Set(value.decisions.map((one: { state: string; code: string }) => `${one.state} ${one.code}`))).toEqual(
      new Set(['refused NO_CHANGE']),
    );
    expect(product.mutates()).toEqual([]);
  });
});
