import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { BUDGET, copiesOf, createProduct, type Product, type ProductOptions } from '../../support/product.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR, campaignId, campaignName } = TRIMMED;
const TRIM = TRIM_RULES['trim.yaml'];
const rule = (changes: Readonly<Record<string, string>>) =>
  Object.entries(changes).reduce(
    (text, [key, value]) => text.replace(new RegExp(`^${key}: .*$`, 'm'), `${key}: ${value}`),
    TRIM,
  );

/** A product that has read its numbers and changed nothing. */
async function readBy(options: ProductOptions = {}): Promise<Product> {
  const product = await createProduct(options);
  expect((await product.run(['report', '--dry-run'])).code).toBe(0);
  return product;
}

const readByDefault = copiesOf(readBy);
const readOnce = (options?: ProductOptions) => (options === undefined ? readByDefault() : readBy(options));

/** What commands that only look must leave as it is. */
const traces = (product: Product) => ({
  mutates: product.mutates().length,
  messages: product.sandbox.messages().length,
  amount: product.amount(),
  events: product.events(),
  runs: product.rows('SELECT count(*) AS n FROM run'),
  intents: product.rows('SELECT * FROM budget_intent'),
  proposals: product.rows('SELECT * FROM budget_proposal'),
  foreign: product.rows('SELECT * FROM foreign_change'),
  alerts: product.rows('SELECT * FROM alert'),
});

describe('pacekeeper rules list', () => {
  it('shows each rule with its data, action and limits, without a request', async () => {
    const product = await createProduct({ mode: 'approve' });
    const { code, stdout } = await product.run(['rules', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}trim +campaign +change +approve/m);
    expect(stdout).toContain(
      '\n    Cut expensive clicks.\n    reads stats\n    over 7 days\n    when clicks >= 30 AND cost / clicks > 2.50\n    change decrease budget by 15%\n    limits floor 5.00 EUR, ceiling 200.00 EUR, step 20%\n',
    );
    expect(product.sandbox.requests).toEqual([]);
  });

  it('has the rule with its version as JSON, and the mode in force', async () => {
    const product = await createProduct({ mode: 'propose' });
    const { code, value } = await product.json(['rules', 'list']);
    expect(code).toBe(0);
    expect(value.rules).toEqual([
      expect.objectContaining({
        name: 'trim',
        version: expect.stringMatching(/^[0-9a-f]{12}$/),
        from: 'stats',
        for: 'campaign',
        mode: 'apply',
        effective_mode: 'propose',
        change: 'decrease budget by 15%',
        alert: null,
      }),
    ]);
  });

  it('is empty without rules, and shows mistakes with their place', async () => {
    const none = await createProduct({ rules: {} });
    expect(await none.run(['rules', 'list'])).toMatchObject({ code: 0, stdout: 'No rules.\n' });
    const wrong = await createProduct({ rules: { 'trim.yaml': rule({ when: 'clics > 3' }) } });
    const { code, stdout, stderr } = await wrong.run(['rules', 'list']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/trim\.yaml:5:7: error: Unknown column "clics"/);
  });
});

describe('pacekeeper rules explain', () => {
  it('shows a firing rule’s values, days, change and limit, and changes nothing', async () => {
    const rules = { 'trim.yaml': TRIM.replace('step: 20%', 'step: 10%') };
    const product = await readOnce({ rules });
    const before = traces(product);
    const { code, stdout } = await product.run(['rules', 'explain', 'trim'], { columns: 200 });
    expect(code).toBe(0);
    expect(stdout).toContain(`  fires  ${campaignName} (campaign ${campaignId})`);
    expect(stdout).toMatch(/clicks \(\d+\) >= 30 AND cost \/ clicks \(3\.\d\d\) > 2\.50, 2026-11-13 to 2026-11-19\n/);
    expect(stdout).toMatch(
      new RegExp(
        `WOULD CHANGE budget ${BUDGET}: decrease budget by 15%, limited by the step of 10%: 60\\.00 EUR to 54\\.00 EUR\\n`,
      ),
    );
    expect((await product.json(['rules', 'explain', 'trim'])).value.subjects).toMatchObject([
      {
        customer_id: EUR,
        campaign_id: campaignId,
        budget_id: BUDGET,
        truth: 'true',
        alert: null,
        decisions: [{ state: 'proposed', from_micros: 60_000_000, to_micros: 54_000_000 }],
      },
    ]);
    expect(traces(product)).toEqual(before);
  });

  it.each<[sentence: string, when: string, truth: string, words: RegExp]>([
    ['that does not fire', 'clicks >= 5000', 'false', /^clicks \(\d+\) >= 5000, 2026-11-13 to 2026-11-19$/],
    [
      'that divides by zero',
      'cost / (clicks - clicks) > 1',
      'unknown',
      /^cost \/ \(clicks - clicks\) \(unknown: .*\) > 1/,
    ],
  ])('explains a rule %s, and decides nothing', async (_sentence, when, truth, words) => {
    const product = await readOnce({ rules: { 'trim.yaml': rule({ when }) } });
    const { code, value } = await product.json(['rules', 'explain', 'trim']);
    expect(code).toBe(0);
    expect(value.subjects).toMatchObject([{ truth, decisions: [], explanation: expect.stringMatching(words) }]);
  });

  it('names the guard and the reason for a refused rule', async () => {
    const product = await createProduct({
      rules: { 'trim.yaml': TRIM.replace('step: 20%', 'step: 20%, cooldown: 3 days') },
    });
    await product.run(['report']);
    product.at('2026-11-21T12:00:00Z');
    await product.run(['report']);
    const before = traces(product);
    const { code, stdout } = await product.run(['rules', 'explain', 'trim'], { columns: 200 });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `REFUSED Budget ${BUDGET} was changed by a rule on 2026-11-20: the cooldown of 3 days lasts until 2026-11-23\\.\\n`,
      ),
    );
    expect(traces(product)).toEqual(before);
  });

  it('shows one campaign with --campaign', async () => {
    const product = await createProduct({ queries: wide(), rules: { 'trim.yaml': rule({ when: 'clicks >= 1' }) } });
    await product.run(['report', '--dry-run']);
    const all = await product.json(['rules', 'explain', 'trim']);
    expect(all.value.subjects.length).toBeGreaterThan(5);
    const one = await product.json(['rules', 'explain', 'trim', '--campaign', campaignId]);
    expect(one.value.subjects.map((subject: { campaign_id: string }) => subject.campaign_id)).toEqual([campaignId]);
  });

  it.each<[sentence: string, args: string[], words: string[]]>([
    ['a rule that there is not', ['tirm'], ['No such rule: found tirm, expected one of trim.', 'Did you mean trim?']],
    [
      'an unknown rule without a similar name',
      ['zzzzzz'],
      ['No such rule: found zzzzzz, expected one of trim.', 'Write the name of a rule file without its ending'],
    ],
    ['a campaign that there is not', ['trim', '--campaign', '5'], ['No account has a campaign 5.']],
    ['a campaign that is no number', ['trim', '--campaign', 'shoes'], ['Expected a campaign id (digits only).']],
    ['no rule at all', [], ["missing required argument 'rule'"]],
  ])('exits with 2 and a next step for %s', async (_sentence, args, words) => {
    const product = await readOnce();
    const { code, stdout, stderr } = await product.run(['rules', 'explain', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    for (const part of words) expect(stderr).toContain(part);
    expect(stderr).toContain('next step: ');
  });

  it('lists the missing days before the first run', async () => {
    const product = await createProduct();
    const { code, value } = await product.json(['rules', 'explain', 'trim']);
    expect(code).toBe(0);
    expect(value.subjects).toEqual([]);
    expect(value.results[0].not_evaluated).toBe('stats has no complete data for 2026-11-13 and 6 more days');
  });

  it.each([80, 140])('stays within %d columns, for any campaign names', async (columns) => {
    const product = await createProduct({ queries: wide(), rules: { 'trim.yaml': rule({ when: 'clicks >= 1' }) } });
    await product.run(['report', '--dry-run']);
    for (const args of [['list'], ['explain', 'trim'], ['evaluate']]) {
      const { stdout } = await product.run(['rules', ...args], { columns });
      expect(stdout.split('\n').filter((line) => stringWidth(line) > columns)).toEqual([]);
    }
  });
});

describe('pacekeeper rules evaluate', () => {
  it('shows what a report would change, with reasons, and changes, sends and writes nothing', async () => {
    const product = await readOnce();
    const before = traces(product);
    const { code, stdout } = await product.run(['rules', 'evaluate'], { columns: 200 });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`would change  ${campaignName} \\(campaign ${campaignId}\\) .* 60\\.00 EUR +51\\.00 EUR\\n`),
    );
    expect(stdout).toMatch(/Nothing was changed or sent\. A report would make 1 change[^.]*\.\n\nRules\n/);
    const { value } = await product.json(['rules', 'evaluate']);
    expect(value).toMatchObject({
      mode: 'apply',
      rules: [{ fired: 1 }],
      decisions: [{ state: 'proposed' }],
      failures: [],
    });
    expect(traces(product)).toEqual(before);
  });

  it('sees a budget changed elsewhere, and leaves recording it to a report', async () => {
    const product = await createProduct();
    await product.run(['report']);
    product.at('2026-11-21T12:00:00Z');
    await product.run(['report', '--dry-run']);
    product.sandbox.setBudget(EUR, BUDGET, 70_000_000n as never);
    const before = traces(product);
    const { value } = await product.json(['rules', 'evaluate']);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'AMOUNT_IN_DOUBT' }]);
    expect(traces(product)).toEqual(before);
    await product.run(['report']);
    product.at('2026-11-21T13:00:01Z');
    const again = traces(product);
    const later = await product.json(['rules', 'evaluate']);
    expect(later.value.decisions).toMatchObject([{ state: 'refused', code: 'FOREIGN_CHANGE' }]);
    expect(traces(product)).toEqual(again);
  });

  it('reports frozen budgets', async () => {
    const product = await readOnce();
    await product.run(['freeze', '--why', 'a sale']);
    const { code, value } = await product.json(['rules', 'evaluate']);
    expect(code).toBe(0);
    expect(value.notes).toEqual([
      expect.stringMatching(
        /^No budget is changed: frozen by anna since .*: a sale\. Run pacekeeper unfreeze to allow changes again\.$/,
      ),
    ]);
    expect(value.decisions).toMatchObject([{ code: 'FROZEN' }]);
  });

  it('shows alerts with their values, without sending them', async () => {
    const alert = '\nalert: { severity: warning, text: "{campaign_name}: {cost / clicks} a click" }\n';
    const product = await readOnce({ rules: { 'trim.yaml': TRIM.trimEnd() + alert } });
    const { value } = await product.json(['rules', 'evaluate']);
    expect(value.alerts).toEqual([
      {
        rule: 'trim',
        customer_id: EUR,
        severity: 'warning',
        lines: [expect.stringMatching(new RegExp(`^${campaignName}: 3\\.\\d\\d EUR a click$`))],
      },
    ]);
    expect(product.sandbox.messages()).toEqual([]);
    await product.run(['report']);
    expect(product.sandbox.messages().map(({ body }) => body)).toEqual([
      expect.stringMatching(
        new RegExp(`^Budget changed: .*\n.*\n${value.alerts[0].lines[0]}\nWhy: .*\nAccount .*\nUndo: .*\nRef pk-.*$`),
      ),
    ]);
  });

  it('exits with 1 if an account cannot be read', async () => {
    const product = await readOnce();
    product.fault = ({ kind, query }) =>
      kind === 'stream' && query?.includes('FROM campaign') ? { kind: 'status', status: 503 } : undefined;
    const { code, value } = await product.json(['rules', 'evaluate']);
    expect(code).toBe(1);
    expect(value.failures).toEqual([expect.stringContaining('so no rule was evaluated')]);
  });
});

describe('pacekeeper rules schema', () => {
  it('prints the shipped JSON Schema without any setting', async () => {
    const product = await createProduct();
    writeFileSync(join(product.folder, 'pacekeeper.yaml'), '');
    const { code, stdout } = await product.run(['rules', 'schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync('rules/rule.schema.json', 'utf8')));
  });
});

/** A query that reads every campaign of the account, whose names are of every kind. */
function wide(): Record<string, string> {
  return {
    'stats.sql': `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
      FROM keyword_view WHERE segments.date DURING LAST_7_DAYS`,
  };
}
