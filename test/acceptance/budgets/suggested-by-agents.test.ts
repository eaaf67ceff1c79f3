import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { isThorough, sample } from '../../support/effort.ts';
import { BUDGET, copiesOf, createProduct, type Product } from '../../support/product.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR } = TRIMMED;
/** Wider than the rule, but for the floor. */
const LIMITS =
  'agents: { limits: { floor: 50, ceiling: 300, step: 50%, cooldown: 2 days, drift: 60% over 30 days }, movement_a_day: 99% }\n';
/** The rule binds the budget, and never fires. */
const QUIET = { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('clicks >= 30', 'clicks >= 30000000') };

async function reported(config = LIMITS): Promise<Product> {
  const product = await createProduct({ mode: 'apply', config, rules: QUIET });
  expect((await product.json(['report'])).code).toBe(0);
  return product;
}

const ready = copiesOf(reported, { mode: 'apply', config: LIMITS, rules: QUIET });

const SUGGESTION = {
  agent: 'desk',
  customer: EUR,
  budget: BUDGET,
  to: '54.00 EUR',
  reason: 'clicks cost twice as much as in October',
  evidence: '{"cost per click, 7 days":"3.10 EUR"}',
  key: 'key-00000001',
};

/** The clock runs on during a slow report. */
const endOfReport = (product: Product) => String(product.rows('SELECT max(ended_at) AS ended FROM run')[0]?.ended);

function propose(product: Product, other: Partial<Record<keyof typeof SUGGESTION | 'as-of' | 'until', string>> = {}) {
  const options = Object.entries({ ...SUGGESTION, 'as-of': endOfReport(product), ...other }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  return product.json(['agents', 'propose', ...options]);
}

const proposals = (product: Product) => product.rows('SELECT code, state, kind, rule FROM budget_proposal');

async function suggested(other: Parameters<typeof propose>[1] = {}) {
  const product = await ready();
  const { code: exit, value, stderr } = await propose(product, other);
  expect([exit, stderr]).toEqual([0, '']);
  return { product, code: String(value.proposal.code) };
}

describe('a suggestion of an agent', () => {
  it('waits for a person even where automation applies changes, and changes nothing', async () => {
    const { product, code } = await suggested();
    expect(proposals(product)).toEqual([{ code, state: 'open', kind: 'agent', rule: 'agent:desk' }]);
    expect([product.mutates(), product.amount()]).toEqual([[], 60_000_000n]);
    expect(product.events()).toEqual(['proposed']);
    const [event] = product.rows("SELECT actor, detail FROM budget_event WHERE kind = 'proposed'");
    expect(event?.actor).toBe('agent desk');
    expect(JSON.parse(String(event?.detail))).toMatchObject({
      origin: 'agent',
      evidence: { 'cost per click, 7 days': '3.10 EUR' },
      as_of: endOfReport(product),
      from_micros: '60000000',
      to_micros: '54000000',
    });
  });

  it('is told to a person with the name of the agent and its reason', async () => {
    const { product, code } = await suggested();
    expect(product.sandbox.messages().at(-1)?.body).toMatch(
      new RegExp(
        [
          '^Budget change awaiting approval: Generisch - Wanderschuhe \\(campaign 17204104729\\)',
          '60\\.00 EUR to 54\\.00 EUR \\(-10%\\)',
          'Suggested by agent desk because clicks cost twice as much as in October \\(cost per click, 7 days: 3\\.10 EUR; as of .*\\)',
          `Account .* \\(${EUR}\\)`,
          `Decide: pacekeeper budgets approve ${code} or reject ${code} \\(until 2026-11-21 13:00 Europe/Berlin\\)`,
        ].join('\\n'),
      ),
    );
  });

  it('survives the next report, and rules wait for its end', async () => {
    const { product, code } = await suggested();
    writeFileSync(join(product.folder, 'rules', 'trim.yaml'), TRIM_RULES['trim.yaml']);
    product.at('2026-11-20T22:00:00Z');
    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: 'WAITS_FOR_APPROVAL' }]);
    expect(proposals(product)).toMatchObject([{ code, state: 'open' }]);
    product.at('2026-11-21T12:30:00Z');
    const next = await product.json(['report']);
    expect(next.value.decisions).toMatchObject([{ state: 'applied' }]);
    expect(proposals(product)).toMatchObject([{ code, state: 'expired' }]);
  });

  it.each(
    sample([
      ['scientific notation', '1e2 EUR'],
      ['full-width digits', '１００ EUR'],
      ['a sign', '-5 EUR'],
      ['zero', '0 EUR'],
      ['zero with decimals', '0.00 EUR'],
      ['a number without a currency', '54.00'],
      ['micros', '54000000'],
      ['seven decimals', '54.0000001 EUR'],
      ['2^63 micros and more', '9223372036854775808 EUR'],
      ['a currency in lower case', '54.00 eur'],
      ['a comma', '54,00 EUR'],
      ['two blanks', '54.00  EUR'],
      ['nothing', ''],
    ]),
  )('refuses %s as an amount, and stores nothing', async (_words, to) => {
    const product = await ready();
    const { code, stderr } = await propose(product, { to });
    expect([code, proposals(product)]).toEqual([2, []]);
    expect(stderr).toMatch(/^error: --to: found ".*", expected a decimal amount above 0 and a currency/);
  });

  it.each(
    sample<[string, Parameters<typeof propose>[1]]>([
      ['an empty reason', { reason: '\u202e \n' }],
      ['evidence that is no object', { evidence: '[]' }],
      ['evidence with a number', { evidence: '{"cost":420.1}' }],
      ['no evidence', { evidence: '{}' }],
      ['evidence with a direction sign', { evidence: '{"cost":"1\u202e2 EUR"}' }],
      ['a day that February lacks', { 'as-of': '2026-02-30T12:00:00Z' }],
      ['a time without a zone', { 'as-of': '2026-11-20 12:00' }],
      ['a day that does not exist', { 'as-of': '2026-13-40T12:00:00Z' }],
      ['a short key', { key: 'k' }],
      ['a budget that is no id', { budget: '21; DROP TABLE' }],
      ['a name with a colon', { agent: 'a:b' }],
    ]),
  )('refuses %s, and stores nothing', async (_words, other) => {
    const product = await ready();
    expect([(await propose(product, other)).code, proposals(product)]).toEqual([2, []]);
  });

  it.each(
    sample<[sentence: string, other: Parameters<typeof propose>[1], code: string, nearest: string | null]>([
      ['beyond the step of a rule', { to: '80.00 EUR' }, 'OUTSIDE_LIMITS', '72.00 EUR'],
      ['a hundred times the amount', { to: '6000.00 EUR' }, 'UNIT_SANITY', '72.00 EUR'],
      ['below the floor of agents.limits', { to: '49.00 EUR' }, 'OUTSIDE_LIMITS', '50.00 EUR'],
      ['below a hundredth', { to: '0.01 EUR' }, 'UNIT_SANITY', '50.00 EUR'],
      ['with a fraction of a cent', { to: '54.001 EUR' }, 'OUTSIDE_LIMITS', '54.01 EUR'],
      ['of the same amount', { to: '60.00 EUR' }, 'NO_CHANGE', null],
      ['in another currency', { to: '54.00 USD' }, 'CURRENCY', null],
      ['with figures from before the report', { 'as-of': '2026-11-20T11:59:59Z' }, 'OLD_FIGURES', null],
      ['with figures from the future', { 'as-of': '2026-11-20T12:30:00Z' }, 'OLD_FIGURES', null],
      ['that ended already', { until: '2026-11-20T11:00:00Z' }, 'WRONG_END', null],
      ['that never ends', { until: '2027-11-20T11:00:00Z' }, 'WRONG_END', null],
      ['for an unknown budget', { budget: '999' }, 'BUDGET_NOT_KNOWN', null],
    ]),
  )('is refused %s, with the code and the nearest amount that passes', async (_sentence, other, code, nearest) => {
    const product = await ready();
    const { code: exit, value } = await propose(product, other);
    expect([exit, value.refused.code, value.refused.nearest]).toEqual([1, code, nearest]);
    expect([proposals(product), product.events()]).toEqual([[], []]);
    if (nearest !== null) expect((await propose(product, { ...other, to: nearest })).code).toBe(0);
  });

  it.each<[sentence: string, before: (product: Product) => unknown, code: string]>([
    ['in mode read', (product) => product.reconfigure('apply', 'agents: { mode: read }\n'), 'AGENTS_READ_ONLY'],
    ['without limits', (product) => product.reconfigure('apply', ''), 'AGENTS_READ_ONLY'],
    ['where automation only suggests', (product) => product.reconfigure('propose'), 'MODE_NARROWED'],
    [
      'for an excluded account',
      (product) =>
        writeFileSync(
          join(product.folder, 'pacekeeper.yaml'),
          `automation: { mode: apply }\n${LIMITS}ads: { exclude_customer_ids: [${EUR}] }\n`,
        ),
      'ACCOUNT_EXCLUDED',
    ],
    ['while budgets are frozen', (product) => product.run(['freeze', '--why', 'a sale']), 'FROZEN'],
    [
      'while a rule file is broken',
      (product) => writeFileSync(join(product.folder, 'rules', 'other.yaml'), 'description: broken'),
      'FILE_BROKEN',
    ],
    [
      'beyond the total of the account',
      (product) => product.reconfigure('apply', `${LIMITS}accounts: { ${EUR}: { daily_total: 10 } }\n`),
      'ACCOUNT_TOTAL',
    ],
    [
      'when its campaign is removed',
      (product) => product.sandbox.setCampaignStatus(EUR, TRIMMED.campaignId, 'REMOVED'),
      'NOT_SERVING',
    ],
  ])('is refused %s', async (_sentence, before, code) => {
    const product = await ready();
    await before(product);
    const { code: exit, value, stderr } = await propose(product, { to: '66.00 EUR' });
    expect([exit, value?.refused?.code, proposals(product)], stderr).toEqual([1, code, []]);
  });

  it('is refused after somebody changed the budget today', async () => {
    const product = await ready();
    product.sandbox.setBudget(EUR, BUDGET, micros(70_000_000n));
    product.at('2026-11-20T15:00:00Z');
    await product.run(['report']);
    const { value } = await propose(product, { to: '66.00 EUR' });
    expect([value.refused.code, proposals(product)]).toEqual(['FOREIGN_CHANGE', []]);
  });

  it('is held by the limits of agents where no rule binds the budget', async () => {
    const product = await ready();
    rmSync(join(product.folder, 'rules', 'trim.yaml'));
    const { value } = await propose(product, { to: '95.00 EUR' });
    expect(value.refused).toMatchObject({ code: 'OUTSIDE_LIMITS', nearest: '90.00 EUR' });
  });

  it('is found again with its key, and the same key stands for no other suggestion', async () => {
    const { product, code } = await suggested();
    const again = await propose(product);
    expect([again.code, again.value.repeated, again.value.proposal.code]).toEqual([0, true, code]);
    const other = await propose(product, { to: '55.00 EUR' });
    expect([other.code, other.value.refused.code]).toEqual([1, 'KEY_USED']);
    await product.run(['budgets', 'reject', code]);
    expect((await propose(product)).value).toMatchObject({ repeated: true, proposal: { code, state: 'rejected' } });
    expect(product.rows('SELECT count(*) AS many FROM budget_proposal')).toEqual([{ many: 1 }]);
  });

  it.runIf(isThorough)('stays one, asked for by six processes at once and a hundred times more', async () => {
    const product = await ready();
    const options = Object.entries({ ...SUGGESTION, 'as-of': endOfReport(product) });
    const args = options.map(([name, value]) => `--${name}=${value}`);
    const keys = ['key-00000001', 'key-00000001', 'key-00000001', 'key-00000002', 'key-00000003', 'key-00000004'];
    const all = await Promise.all(
      keys.map((key) => product.cli(['agents', 'propose', ...args, `--key=${key}`, '--format=json'])),
    );
    expect(all.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
    for (let asked = 0; asked < 100; asked++) {
      await propose(product, asked % 2 === 0 ? {} : { key: `another-key-${asked}`, agent: `agent-${asked % 3}` });
    }
    expect(product.rows('SELECT count(*) AS many FROM budget_proposal')).toEqual([{ many: 1 }]);
    expect(product.sandbox.messages()).toHaveLength(1);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });

  it('is refused while another one awaits a person, also of another agent and with another key', async () => {
    const { product } = await suggested();
    const other = await propose(product, { agent: 'other', key: 'key-00000002', to: '55.00 EUR' });
    expect([other.code, other.value.refused.code]).toEqual([1, 'WAITS_FOR_APPROVAL']);
  });

  it('is refused on the day of a rejection', async () => {
    const { product, code } = await suggested();
    await product.run(['budgets', 'reject', code]);
    const { value } = await propose(product, { key: 'key-00000002' });
    expect(value.refused.code).toBe('REJECTED');
  });

  it.each([
    ['proposals_a_day: 0', 2],
    ['proposals_a_day: 1', 1],
  ])('has caps that are whole numbers of 1 or more: %s', async (setting, exit) => {
    const product = await ready();
    product.reconfigure('apply', LIMITS.replace('agents: {', `agents: { ${setting},`));
    const first = await propose(product);
    if (exit === 2) return expect(first.code).toBe(2);
    const { code } = first.value.proposal;
    await product.run(['agents', 'withdraw', code, '--agent', 'desk']);
    const { value } = await propose(product, { key: 'key-00000002' });
    expect(value.refused.code).toBe('PROPOSALS_A_DAY');
    expect((await propose(product, { key: 'key-00000002', agent: 'other' })).code).toBe(0);
  });

  it('moves the budgets of an account only so far in a day, also after it was withdrawn', async () => {
    const product = await ready();
    product.reconfigure('apply', LIMITS.replace('movement_a_day: 99%', 'movement_a_day: 1%'));
    const first = await propose(product, { to: '50.00 EUR' });
    expect(first.value.refused.code).toBe('MOVEMENT_A_DAY');
    const { nearest } = first.value.refused;
    const within = await propose(product, { to: nearest });
    expect(within.code).toBe(0);
    await product.run(['agents', 'withdraw', within.value.proposal.code, '--agent', 'desk']);
    const next = await propose(product, { key: 'key-00000002', to: '59.00 EUR' });
    expect(next.value.refused).toMatchObject({ code: 'MOVEMENT_A_DAY', nearest: null });
  });

  it('is withdrawn only by its own agent, and only once', async () => {
    const { product, code } = await suggested();
    const foreign = await product.json(['agents', 'withdraw', code, '--agent', 'other']);
    expect([foreign.code, foreign.value.refused.code]).toEqual([1, 'NO_SUCH_PROPOSAL']);
    const own = await product.json(['agents', 'withdraw', code, '--agent', 'desk', '--why', 'wrong figures']);
    expect([own.code, own.value.proposal.state]).toEqual([0, 'superseded']);
    const again = await product.json(['agents', 'withdraw', code, '--agent', 'desk']);
    expect([again.code, again.value.refused.code]).toEqual([1, 'NOT_OPEN']);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
    expect((await product.json(['budgets', 'approve', code])).value.decisions).toMatchObject([
      { code: 'DECIDED_ALREADY' },
    ]);
  });
});

describe('the approval of a suggestion', () => {
  it('makes the change, and the record says who suggested and who approved it', async () => {
    const { product, code } = await suggested();
    const approved = await product.run(['budgets', 'approve', code, '--why', 'agreed']);
    expect([approved.code, product.amount()]).toEqual([0, 54_000_000n]);
    expect(approved.stdout).toContain('suggested by agent desk, approved by anna, B1');
    expect(product.events()).toEqual(['proposed', 'planned', 'approved', 'validated', 'sending', 'applied']);
    const { value } = await product.json(['budgets', 'history']);
    expect(value.changes).toMatchObject([{ rule: 'agent:desk', actor: 'approved by anna' }]);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
    await product.run(['budgets', 'undo', 'B1', '--why', 'too early']);
    expect(product.amount()).toBe(60_000_000n);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });

  it('takes a smaller step, and no larger one', async () => {
    const { product, code } = await suggested();
    const larger = await product.json(['budgets', 'approve', code, '--amount', '50.00']);
    expect([larger.code, product.amount()]).toEqual([1, 60_000_000n]);
    expect((await product.json(['budgets', 'approve', code, '--amount', '57.00'])).code).toBe(0);
    expect(product.amount()).toBe(57_000_000n);
  });

  it.each<[sentence: string, before: (product: Product) => unknown, code: string, state: string]>([
    [
      'after agents may only read',
      (product) => product.reconfigure('apply', `${LIMITS.replace('agents: {', 'agents: { mode: read,')}`),
      'AGENTS_READ_ONLY',
      'superseded',
    ],
    ['after the limits are gone', (product) => product.reconfigure('apply', ''), 'AGENTS_READ_ONLY', 'superseded'],
    ['after automation was narrowed', (product) => product.reconfigure('propose'), 'MODE_NARROWED', 'superseded'],
    [
      'after the floor was raised',
      (product) => product.reconfigure('apply', LIMITS.replace('floor: 50', 'floor: 58')),
      'OUTSIDE_LIMITS',
      'superseded',
    ],
    [
      'after a rule was made stricter',
      (product) =>
        writeFileSync(join(product.folder, 'rules', 'trim.yaml'), QUIET['trim.yaml'].replace('step: 20%', 'step: 5%')),
      'OUTSIDE_LIMITS',
      'superseded',
    ],
    [
      'while a rule file is broken',
      (product) => writeFileSync(join(product.folder, 'rules', 'other.yaml'), 'description: broken'),
      'FILE_BROKEN',
      'open',
    ],
    ['while budgets are frozen', (product) => product.run(['freeze', '--why', 'a sale']), 'FROZEN', 'open'],
    [
      'after somebody else changed the budget',
      (product) => product.sandbox.setBudget(EUR, BUDGET, micros(70_000_000n)),
      'SUPERSEDED',
      'superseded',
    ],
  ])('%s changes nothing', async (_sentence, before, code, state) => {
    const { product, code: own } = await suggested();
    await before(product);
    const amount = product.amount();
    const { code: exit, value } = await product.json(['budgets', 'approve', own]);
    expect([exit, value.decisions[0].code]).toEqual([1, code]);
    expect([product.sends(), product.amount(), proposals(product)[0]?.state]).toEqual([[], amount, state]);
  });
});
