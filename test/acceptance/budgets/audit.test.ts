import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { withoutGuards } from '../../support/audit.ts';
import { BUDGET, copiesOf, createProduct } from '../../support/product.ts';
import { TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR } = TRIMMED;

/** A product with a change, an undo and a freeze behind it. */
const eventful = copiesOf(async () => {
  const product = await createProduct();
  await product.run(['report']);
  await product.run(['budgets', 'undo', 'B1']);
  await product.run(['freeze', '--why', 'a sale']);
  return product;
});

describe('pacekeeper audit verify', () => {
  it('verifies the chain and the amounts of today, and exits with 0', async () => {
    const product = await eventful();
    const { code, stdout } = await product.run(['audit', 'verify']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^The record is sound: 9 events in one unbroken chain, 1 of 1 budget has the recorded amount\.\n\nHead: 9:[0-9a-f]{64}\n$/,
    );
    const [last] = product.rows('SELECT hash FROM budget_event ORDER BY id DESC LIMIT 1');
    expect(stdout).toContain(String(last?.hash));
  });

  it('prints the same as JSON, and writes nothing', async () => {
    const product = await eventful();
    const events = product.events();
    const requests = product.sandbox.requests.length;
    const { code, value } = await product.json(['audit', 'verify']);
    expect(code).toBe(0);
    expect(value).toEqual({
      sound: true,
      events: 9,
      head: expect.stringMatching(/^[0-9a-f]{64}$/),
      budgets: 1,
      compared: 1,
      broken_links: [],
      differences: [],
      changed_elsewhere: [],
      notes: [],
      failures: [],
      record_head: `9:${value.head}`,
    });
    expect(product.events()).toEqual(events);
    expect(product.sandbox.requests.slice(requests).map(({ kind }) => kind)).toEqual(['stream', 'stream']);
  });

  it('--offline sends no request, and says that amounts were not compared', async () => {
    const product = await eventful();
    const asked = product.sandbox.requests.length;
    await product.sandbox.close();
    const { code, value } = await product.json(['audit', 'verify', '--offline']);
    expect(code).toBe(0);
    expect(value).toMatchObject({
      sound: true,
      budgets: 1,
      compared: 0,
      notes: ["Today's amounts were not compared, because --offline is set."],
    });
    expect(product.sandbox.requests).toHaveLength(asked);
  });

  it('exits with 1 and names the event where the chain is broken', async () => {
    const product = await eventful();
    product.execute(...withoutGuards(), "UPDATE budget_event SET actor = 'somebody' WHERE id = 2");
    for (const options of [[], ['--offline']]) {
      const { code, value } = await product.json(['audit', 'verify', ...options]);
      expect([code, value.sound]).toEqual([1, false]);
      expect(value.broken_links.join('\n')).toMatch(/Event 2 /);
    }
    const { code, stdout } = await product.run(['audit', 'verify']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Broken links\n/);
    expect(stdout).toContain('The record is not sound: ');
  });

  it.each(["UPDATE budget_event SET actor = '1'", 'DELETE FROM budget_event', "UPDATE budget_event SET detail = '{}'"])(
    'the database refuses %s',
    async (statement) => {
      const product = await eventful();
      expect(() => product.execute(statement)).toThrow(/budget_event/);
    },
  );

  it('finds a budget changed elsewhere, exits with 1, and passes after the next report', async () => {
    const product = await createProduct();
    await product.run(['report']);
    product.sandbox.setBudget(EUR, BUDGET, micros(70_000_000n));
    const found = await product.json(['audit', 'verify']);
    // The record itself holds: it is the budget that is another.
    expect([found.code, found.value.sound, found.value.differences]).toEqual([1, true, []]);
    expect(JSON.stringify(found.value.changed_elsewhere)).toMatch(new RegExp(`${BUDGET}.*70`));
    expect((await product.run(['audit', 'verify'])).stdout).toMatch(/ 70\.00 EUR [\s\S]*The record is intact:/);
    expect((await product.json(['audit', 'verify', '--offline'])).code).toBe(0);
    // The next report leaves it alone, and one an hour later writes down that it was changed.
    const next = await product.json(['report']);
    expect(next.value.decisions).toMatchObject([{ state: 'refused', code: expect.any(String) }]);
    expect(product.events().slice(-2)).toEqual(['applied', 'refused']);
    product.at('2026-11-20T13:00:01Z');
    await product.run(['report']);
    expect(product.events().slice(-2)).toEqual(['foreign_change', 'refused']);
    const after = await product.json(['audit', 'verify']);
    expect([after.code, after.value.differences]).toEqual([0, []]);
    product.at('2026-11-21T12:00:00Z');
    const later = await product.json(['report']);
    expect(later.value.decisions).toMatchObject([{ state: 'applied', from_micros: 70_000_000, to_micros: 59_500_000 }]);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });

  it('exits with 1 and says so if the service cannot be read', async () => {
    const product = await createProduct();
    await product.run(['report']);
    product.fault = ({ kind, query }) =>
      kind === 'stream' && query?.includes('FROM campaign') ? { kind: 'status', status: 503 } : undefined;
    const { code, value } = await product.json(['audit', 'verify']);
    expect([code, value.sound, value.compared]).toEqual([1, false, 0]);
    expect(value.failures).toEqual([expect.stringContaining(`The budgets of account ${EUR} could not be read`)]);
  });

  it('passes with an empty record before any change; exits with 2 before any run with --offline', async () => {
    const product = await createProduct();
    expect((await product.run(['audit', 'verify', '--offline'])).code).toBe(2);
    await product.run(['extract']);
    expect((await product.json(['audit', 'verify'])).value).toMatchObject({
      sound: true,
      events: 0,
      head: '0'.repeat(64),
    });
  });

  it('reports an account whose tree cannot be read, without a crash', async () => {
    const product = await createProduct();
    await product.run(['report']);
    product.fault = () => ({ kind: 'status', status: 503 });
    const { code, stderr, value } = await product.json(['audit', 'verify']);
    expect(code).toBe(1);
    expect(`${stderr}${JSON.stringify(value)}`).not.toMatch(/\n {4}at /);
  });
});
