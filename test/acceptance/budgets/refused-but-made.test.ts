import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import { BUDGET, createProduct, isChange, type Product } from '../../support/product.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

/** The rule cuts 15 % and then waits. */
const COOLING = {
  'trim.yaml': TRIM_RULES['trim.yaml'].replace('step: 20%', 'cooldown: 3 days, drift: 20% over 7 days'),
};
const HOURS = ['12:00', '12:20', '13:10', '14:20', '16:40', '20:00'].map((time) => `2026-11-20T${time}:00Z`);

const refusalOf = (status: number, word: string): Fault => ({
  kind: 'status',
  status,
  body: JSON.stringify({ error: { code: status, status: word, message: 'No.' } }),
});

/** The service carries out every change, and then says that it refused it. */
function applyAndRefuse(product: Product, refusal: Fault): void {
  product.fault = (request) => {
    if (!isChange(request)) return undefined;
    for (const { update } of JSON.parse(request.body).operations) {
      const [id = ''] = /\d+$/.exec(update.resourceName) ?? [];
      product.sandbox.setBudget(TRIMMED.customerId, id, micros(BigInt(update.amountMicros)));
    }
    return refusal;
  };
}

const REFUSALS: readonly [status: number, word: string][] = [
  [401, 'UNAUTHENTICATED'],
  [400, 'INVALID_ARGUMENT'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
];

const states = (product: Product) =>
  product.rows('SELECT state, code FROM budget_intent ORDER BY id').map(({ state, code }) => [state, code]);

describe('a change that the service makes and then refuses', () => {
  it.each(REFUSALS)('is made once, confirmed, and counts for the cooldown: %i %s', async (status, word) => {
    const product = await createProduct({ rules: COOLING });
    applyAndRefuse(product, refusalOf(status, word));
    for (const at of [...HOURS, '2026-11-21T12:00:00Z', '2026-11-22T12:00:00Z']) {
      product.at(at);
      await product.run(['report']);
      expect(product.amount()).toBe(51_000_000n);
    }
    expect(states(product)).toEqual([['confirmed', 'MADE_ANYWAY']]);
    expect(product.sends()).toHaveLength(1);
    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'COOLDOWN' }]);
    expect((await product.json(['audit', 'verify'])).value).toMatchObject({ sound: true });
  });

  it.each(REFUSALS)('is found made by the next run if the service shows it late: %i %s', async (status, word) => {
    const product = await createProduct({ rules: COOLING });
    const refusal = refusalOf(status, word);
    product.fault = (request) => (isChange(request) ? refusal : undefined);
    await product.run(['report']);
    product.fault = undefined;
    expect(states(product)).not.toMatchObject([['confirmed', 'MADE_ANYWAY']]);
    product.sandbox.setBudget(TRIMMED.customerId, BUDGET, micros(51_000_000n));
    product.at('2026-11-20T12:30:00Z');
    const { code } = await product.json(['report']);
    expect([code, states(product).map(([state]) => state)]).toEqual([0, ['confirmed']]);
    expect(product.rows('SELECT count(*) AS changes FROM foreign_change')).toEqual([{ changes: 0 }]);
    product.at('2026-11-21T12:00:00Z');
    await product.run(['report']);
    expect(product.amount()).toBe(51_000_000n);
    const texts = product.rows('SELECT text FROM alert ORDER BY id').map(({ text }) => `${text}`.split(':')[0]);
    expect(texts).toContain('Budget change confirmed');
  });
});

describe('a change that the service refuses and does not make', () => {
  const refused = async (status: number, word: string) => {
    const product = await createProduct({ rules: COOLING });
    const refusal = refusalOf(status, word);
    product.fault = (request) => (isChange(request) ? refusal : undefined);
    expect((await product.run(['report'])).code).toBe(1);
    product.fault = undefined;
    return product;
  };

  it('counts for the cooldown until a reading of one lag later shows the old amount', async () => {
    const product = await refused(400, 'INVALID_ARGUMENT');
    expect(states(product)).toEqual([['rejected', 'INVALID_ARGUMENT']]);
    product.at('2026-11-20T12:30:00Z');
    await product.run(['report']);
    const unproven = "SELECT count(*) AS events FROM budget_event WHERE kind = 'rejected'";
    expect(product.rows(unproven)).toEqual([{ events: 1 }]);
    product.at('2026-11-21T12:00:00Z');
    const { value } = await product.json(['report']);
    expect(product.rows(unproven)).toEqual([{ events: 2 }]);
    expect(value.decisions).toMatchObject([{ state: 'applied', to_micros: 51_000_000 }]);
    expect((await product.json(['audit', 'verify'])).value).toMatchObject({ sound: true });
  });

  it('still counts the next day if only a reading within the lag has shown the old amount', async () => {
    const product = await createProduct({ rules: COOLING });
    product.at('2026-11-20T22:50:00Z');
    product.fault = (request) => (isChange(request) ? refusalOf(400, 'INVALID_ARGUMENT') : undefined);
    await product.run(['report']);
    product.fault = undefined;
    // In Berlin it is the next day.
    product.at('2026-11-20T23:20:00Z');
    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([
      {
        state: 'refused',
        code: 'COOLDOWN',
        detail: expect.stringContaining('may have been changed by a request that the service refused on 2026-11-20'),
      },
    ]);
    expect(product.amount()).toBe(60_000_000n);
  });

  it('is sent again with the same amount after the lag if the service refused it only for now', async () => {
    const product = await refused(429, 'RESOURCE_EXHAUSTED');
    expect(states(product)).toEqual([['unknown', 'RESOURCE_EXHAUSTED']]);
    product.at('2026-11-20T12:30:00Z');
    await product.run(['report']);
    expect(product.sends()).toHaveLength(1);
    product.at('2026-11-20T13:00:00Z');
    expect((await product.run(['report'])).code).toBe(0);
    expect([product.amount(), states(product)]).toEqual([51_000_000n, [['applied', null]]]);
  });

  it('is not taken for made when a later change sets the same amount', async () => {
    const product = await createProduct();
    product.at('2026-11-20T22:50:00Z');
    product.fault = (request) => (isChange(request) ? refusalOf(400, 'INVALID_ARGUMENT') : undefined);
    await product.run(['report']);
    product.fault = undefined;
    for (const at of ['2026-11-20T23:10:00Z', '2026-11-21T00:30:00Z']) {
      product.at(at);
      await product.run(['report']);
    }
    expect(states(product)).toEqual([
      ['rejected', 'INVALID_ARGUMENT'],
      ['applied', null],
    ]);
  });

  it('is never recorded as never sent', async () => {
    const product = await refused(401, 'UNAUTHENTICATED');
    for (const at of HOURS) {
      product.at(at);
      await product.run(['report']);
    }
    expect(product.events()).not.toContain('expired');
    expect(product.rows("SELECT count(*) AS never FROM budget_event WHERE detail LIKE '%NEVER_SENT%'")).toEqual([
      { never: 0 },
    ]);
  });
});
