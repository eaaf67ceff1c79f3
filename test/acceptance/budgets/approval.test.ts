import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { nextPath } from '../../../src/storage/files/replace-file.ts';
import { onFiles } from '../../support/folder-store.ts';
import { BUDGET, copiesOf, createProduct, giveAnotherBudget, isChange, type Product } from '../../support/product.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR } = TRIMMED;

/** A product in mode approve whose first run has made a proposal. */
async function firstProposed(): Promise<Product> {
  const product = await createProduct({ mode: 'approve' });
  const { code, value } = await product.json(['report']);
  expect([code, value.failures]).toEqual([0, []]);
  expect(proposals(product)).toMatchObject([{ code: value.decisions[0].proposal }]);
  return product;
}

const copyOfProposed = copiesOf(firstProposed, { mode: 'approve' });

async function proposed(made = copyOfProposed): Promise<{ product: Product; code: string }> {
  const product = await made();
  return { product, code: String(proposals(product)[0]?.code) };
}

/** What a person who said no reads. */
const rejection = (code: string) =>
  `Proposal ${code} is rejected: the budget of Generisch - Wanderschuhe is unchanged. Rules may ask again from 2026-11-21, or after their cooldown.\n`;

const ruleOf = ({ folder }: Product) => join(folder, 'rules', 'trim.yaml');
const writeRule = (product: Product, change: (text: string) => string) =>
  writeFileSync(ruleOf(product), change(readFileSync(ruleOf(product), 'utf8')));

const proposals = (product: Product) =>
  product.rows('SELECT code, state, decided_by FROM budget_proposal ORDER BY created_at, code');

describe('a report in mode approve', () => {
  it('makes a proposal with a code, an expiry and an alert that carries the code, and sends no change', async () => {
    const { product, code } = await proposed(firstProposed);
    expect(code).toMatch(/^[A-Z0-9]{4}$/);
    expect(product.mutates()).toEqual([]);
    expect(product.rows('SELECT id FROM budget_intent')).toEqual([]);
    expect(product.events()).toEqual(['proposed']);
    expect(product.rows('SELECT code, state, from_micros, to_micros, expires_at FROM budget_proposal')).toEqual([
      {
        code,
        state: 'open',
        from_micros: 60_000_000,
        to_micros: 51_000_000,
        expires_at: expect.stringMatching(/^2026-11-21T12:00:/),
      },
    ]);
    expect(product.rows('SELECT dedupe_key, severity FROM alert')).toEqual([
      { dedupe_key: `proposal:${code}`, severity: 'info' },
    ]);
    const [message] = product.sandbox.messages();
    expect(message?.body).toMatch(
      new RegExp(
        [
          '^Budget change awaiting approval: Generisch - Wanderschuhe \\(campaign 17204104729\\)\\n60\\.00 EUR to 51\\.00 EUR \\(-15%\\)',
          'Why: clicks \\(\\d+\\) >= 30 AND cost / clicks \\(3\\.\\d+\\) > 2\\.50, .*',
          `Account .* \\(${EUR}\\), rule trim`,
          `Decide: pacekeeper budgets approve ${code} or reject ${code} \\(until the report of 2026-11-21, 13:00 Europe/Berlin at the latest\\)\nRef pk-`,
        ].join('\n'),
      ),
    );
  });

  it('keeps the proposal in later runs, without a second one or a second alert', async () => {
    const { product, code } = await proposed();
    const again = await product.json(['report']);
    expect(again.code).toBe(0);
    expect(again.value.decisions).toMatchObject([
      {
        state: 'refused',
        code: 'WAITS_FOR_APPROVAL',
        proposal: null,
        detail: `Change ${code} of budget ${BUDGET} awaits approval.`,
      },
    ]);
    expect(proposals(product)).toEqual([{ code, state: 'open', decided_by: null }]);
    expect(product.sandbox.messages()).toHaveLength(1);
  });

  it('ends a proposal after its rule changed, and makes a new one by the new rule', async () => {
    const { product, code } = await proposed();
    writeRule(product, (text) => text.replace('floor: 5,', 'floor: 55,'));
    const { value } = await product.json(['report']);
    const [fresh] = value.decisions;
    expect([fresh.state, String(fresh.to_micros)]).toEqual(['proposed', '55000000']);
    const states = new Map(proposals(product).map((one) => [one.code, one.state]));
    expect([states.get(code), states.get(fresh.proposal)]).toEqual(['superseded', 'open']);
    const [event] = product.rows("SELECT detail FROM budget_event WHERE kind = 'proposal_expired'");
    expect(JSON.parse(String(event?.detail))).toMatchObject({ code: 'RULE_CHANGED' });
  });

  it('makes a new proposal with a new code after the old one expired, and says so', async () => {
    const { product, code } = await proposed();
    product.at('2026-11-21T13:00:00Z');
    const next = await product.json(['report']);
    const fresh = next.value.decisions[0].proposal;
    expect(fresh).not.toBe(code);
    expect(proposals(product)).toEqual([
      { code, state: 'expired', decided_by: 'pacekeeper' },
      { code: fresh, state: 'open', decided_by: null },
    ]);
    expect(product.events()).toEqual(['proposed', 'proposal_expired', 'proposed']);
    expect(product.sandbox.messages()).toHaveLength(2);
  });
});

describe('pacekeeper budgets approve', () => {
  it('makes the change at once; the history and the audit trail say who approved and why', async () => {
    const { product, code } = await proposed();
    const approved = await product.run(['budgets', 'approve', code, '--why', 'agreed with the client']);
    expect([approved.code, approved.stderr]).toEqual([0, expect.any(String)]);
    expect(approved.stdout).toContain('CHANGED  Generisch - Wanderschuhe (campaign 17204104729): 60.00 to 51.00 EUR');
    expect(product.amount()).toBe(51_000_000n);
    expect(product.mutates().map(({ validateOnly }) => validateOnly)).toEqual([true, false]);
    expect(product.events()).toEqual(['proposed', 'planned', 'approved', 'validated', 'sending', 'applied']);
    expect(proposals(product)).toEqual([{ code, state: 'approved', decided_by: 'anna' }]);
    const { stdout } = await product.run(['budgets', 'history']);
    const words = stdout.replace(/\s+/g, ' ');
    expect(words).toMatch(/ B1 changed Generisch - .* 60\.00 EUR 51\.00 EUR trim 2026-11-20 12:00 UTC Wanderschuhe /);
    expect(words).toContain('approved by anna');
    expect(words).toContain('(approved by anna: agreed with the client)');
    expect(product.sandbox.messages().at(-1)?.body).toContain('(approved by anna: agreed with the client)');
  });

  it.each([
    ['in lower case', (code: string) => code.toLowerCase()],
    ['with blanks around it', (code: string) => ` ${code} `],
  ])('accepts a code %s', async (_words, typed) => {
    const { product, code } = await proposed();
    expect((await product.run(['budgets', 'approve', typed(code)])).code).toBe(0);
    expect(product.amount()).toBe(51_000_000n);
  });

  it('takes a name with --by, and counts as the daily change', async () => {
    const { product, code } = await proposed();
    await product.run(['budgets', 'approve', code, '--by', 'Berta B.']);
    expect(proposals(product)).toEqual([{ code, state: 'approved', decided_by: 'Berta B.' }]);
    product.reconfigure('apply');
    const next = await product.json(['report']);
    expect(next.value.decisions).toMatchObject([{ state: 'refused', code: 'ALREADY_DECIDED_TODAY' }]);
    expect(product.sends()).toHaveLength(1);
  });

  it.each<[sentence: string, before: (product: Product, code: string) => unknown, code: string, words: string]>([
    [
      'twice',
      (product, code) => product.run(['budgets', 'approve', code]),
      'DECIDED_ALREADY',
      'was approved by anna at ',
    ],
    [
      'after it was rejected',
      (product, code) => product.run(['budgets', 'reject', code]),
      'DECIDED_ALREADY',
      'was rejected by anna at ',
    ],
    [
      'after its time',
      (product) => product.at('2026-11-21T13:00:00Z'),
      'PROPOSAL_EXPIRED',
      'expired at 2026-11-21 12:00 UTC',
    ],
    [
      'after somebody else changed the budget',
      (product) => product.sandbox.setBudget(EUR, BUDGET, micros(70_000_000n)),
      'SUPERSEDED',
      'is superseded: It was based on 60.00 EUR, but the budget is now 70.00 EUR.',
    ],
    ['while budgets are frozen', (product) => product.run(['freeze', '--why', 'a sale']), 'FROZEN', 'a sale'],
    [
      'after the budget was removed',
      (product) => product.sandbox.removeBudget(EUR, BUDGET),
      'BUDGET_REMOVED',
      'the budget was removed',
    ],
  ])('%s changes nothing more, says why and exits with 1', async (_sentence, before, refusal, words) => {
    const { product, code } = await proposed();
    await before(product, code);
    const sent = product.sends().length;
    const amount = product.amount();
    const { code: exit, value } = await product.json(['budgets', 'approve', code]);
    expect(exit).toBe(1);
    expect(value.decisions).toMatchObject([{ state: 'refused', code: refusal, intent_id: null }]);
    expect(value.decisions[0].detail).toContain(words);
    expect(value.failures).toEqual([`Nothing was changed: ${value.decisions[0].detail}`]);
    expect([product.sends().length, product.amount()]).toEqual([sent, amount]);
  });

  it.each<[sentence: string, narrow: (product: Product) => unknown, code: string, words: string]>([
    [
      'after automation was narrowed',
      (product) => product.reconfigure('propose'),
      'MODE_NARROWED',
      'automation.mode is propose',
    ],
    [
      'after its rule was narrowed',
      (product) => writeRule(product, (text) => text.replace('mode: apply', 'mode: propose')),
      'MODE_NARROWED',
      "the rule's mode is propose",
    ],
    ['after its rule was deleted', (product) => rmSync(ruleOf(product)), 'RULE_GONE', 'The rule trim no longer exists'],
    [
      'after its floor was raised',
      (product) => writeRule(product, (text) => text.replace('floor: 5', 'floor: 55')),
      'RULE_CHANGED',
      'The rule trim has changed',
    ],
    [
      'after its campaign was removed',
      (product) => product.sandbox.setCampaignStatus(EUR, TRIMMED.campaignId, 'REMOVED'),
      'NOT_SERVING',
      'Generisch - Wanderschuhe (campaign 17204104729) is removed',
    ],
    [
      'after its campaign was given another budget',
      giveAnotherBudget,
      'NOT_SERVING',
      `Campaign ${TRIMMED.campaignId} no longer spends from budget ${BUDGET}.`,
    ],
    [
      'after its account was excluded',
      ({ folder }) =>
        writeFileSync(
          join(folder, 'pacekeeper.yaml'),
          `automation: { mode: approve }\nads: { exclude_customer_ids: [${EUR}] }\n`,
        ),
      'ACCOUNT_EXCLUDED',
      'is excluded. To change it, remove it from ads.exclude_customer_ids',
    ],
    [
      'after the currency of the account changed',
      (product) => {
        const about = { id: EUR, currencyCode: 'USD', timeZone: 'Europe/Berlin', level: '0', manager: false };
        const body = JSON.stringify([{ results: [{ customerClient: { ...about, status: 'ENABLED' } }] }]);
        product.fault = ({ query }) =>
          query?.includes('FROM customer_client') ? { kind: 'replace', body } : undefined;
      },
      'CURRENCY_CHANGED',
      'was decided in EUR, but the account now uses USD',
    ],
  ])('%s ends the proposal for good, with its reason', async (_sentence, narrow, refusal, words) => {
    const { product, code } = await proposed();
    await narrow(product);
    const { code: exit, value } = await product.json(['budgets', 'approve', code]);
    expect([exit, value.decisions[0]?.code]).toEqual([1, refusal]);
    expect(value.decisions[0].detail).toContain(words);
    expect(proposals(product)).toEqual([{ code, state: 'superseded', decided_by: 'pacekeeper' }]);
    const [event] = product.rows("SELECT detail FROM budget_event WHERE kind = 'proposal_expired'");
    expect(JSON.parse(String(event?.detail))).toMatchObject({ code: refusal, why: expect.stringContaining(words) });
    expect([product.mutates(), product.amount()]).toEqual([[], 60_000_000n]);
  });

  it('ends the proposal of an increase that no longer fits the account limits', async () => {
    const raise = TRIM_RULES['trim.yaml'].replace('change: decrease', 'change: increase');
    const product = await createProduct({ mode: 'approve', rules: { 'trim.yaml': raise } });
    const [decision] = (await product.json(['report'])).value.decisions;
    product.reconfigure('approve', `accounts: { ${EUR}: { daily_total: 100 } }`);
    const { value } = await product.json(['budgets', 'approve', decision.proposal]);
    expect(value.decisions[0].code).toBe('ACCOUNT_TOTAL');
    expect(proposals(product)).toMatchObject([{ state: 'superseded' }]);
  });

  it('keeps the proposal open while its rule cannot be checked', async () => {
    const { product, code } = await proposed();
    writeRule(product, (text) => text.replace('when:', 'whem:'));
    const { code: exit, stderr } = await product.run(['budgets', 'approve', code]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('The rule trim could not be checked')]);
    expect(proposals(product)).toEqual([{ code, state: 'open', decided_by: null }]);
  });

  it('does not resend after a lost answer if its rule was narrowed', async () => {
    const { product, code } = await proposed();
    product.fault = (request) => (isChange(request) ? { kind: 'reset_before' } : undefined);
    await product.run(['budgets', 'approve', code]);
    product.fault = undefined;
    writeRule(product, (text) => text.replace('mode: apply', 'mode: propose'));
    product.at('2026-11-20T13:00:01Z');
    const { value } = await product.json(['budgets', 'reconcile']);
    const detail = 'The change was never made. It may not be sent again.';
    expect(value.settled).toMatchObject([{ state: 'rejected', detail }]);
    expect([product.sends().length, product.amount()]).toEqual([1, 60_000_000n]);
  });

  it('keeps the proposal open while budgets are frozen, and succeeds afterwards', async () => {
    const { product, code } = await proposed();
    await product.run(['freeze', '--why', 'a sale']);
    await product.run(['budgets', 'approve', code]);
    expect(proposals(product)).toEqual([{ code, state: 'open', decided_by: null }]);
    await product.run(['unfreeze', '--why', 'it is over']);
    expect((await product.run(['budgets', 'approve', code])).code).toBe(0);
    expect(product.amount()).toBe(51_000_000n);
  });

  it('exits with 2 and a next step for an unknown code, and records nothing', async () => {
    const { product } = await proposed();
    const { code, stdout, stderr } = await product.run(['budgets', 'approve', 'nope']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      'error: No such proposal: "NOPE".\nnext step: To see the changes that await approval, run pacekeeper budgets list.\n',
    );
    expect(product.mutates()).toEqual([]);
  });

  it('exits with 1 if the service rejects the change or its outcome is unknown', async () => {
    for (const [fault, state] of [
      [
        { kind: 'refuse_operations', indexes: [0], errorCode: { campaignBudgetError: 'MONEY_AMOUNT_TOO_LARGE' } },
        'rejected',
      ],
      [{ kind: 'reset_after' }, 'unknown'],
    ] as const) {
      const { product, code } = await proposed();
      product.fault = (request) => (isChange(request) ? fault : undefined);
      const { code: exit, value } = await product.json(['budgets', 'approve', code]);
      expect([exit, value.decisions[0].state, value.failures.length]).toEqual([1, state, 1]);
    }
  });
});

describe('pacekeeper budgets reject', () => {
  it('ends the proposal without a change, records who and why, and asks again on the next day at the earliest', async () => {
    const { product, code } = await proposed();
    const { code: exit, stdout } = await product.run(['budgets', 'reject', code, '--why', 'not this week']);
    expect([exit, stdout]).toEqual([0, rejection(code)]);
    expect(proposals(product)).toEqual([{ code, state: 'rejected', decided_by: 'anna' }]);
    const [event] = product.rows("SELECT actor, detail FROM budget_event WHERE kind = 'declined'");
    expect([event?.actor, JSON.parse(String(event?.detail)).why]).toEqual(['anna', 'not this week']);
    expect(product.mutates()).toEqual([]);

    const same = await product.json(['report']);
    const words =
      /^60\.00 EUR to 51\.00 EUR was rejected by anna on 2026-11-20 \(\w{4}\)\. Rules may ask again from 2026-11-21[.,]/;
    expect(same.value.decisions).toMatchObject([
      { state: 'refused', code: 'REJECTED', proposal: null, detail: expect.stringMatching(words) },
    ]);
    expect(product.sandbox.messages()).toHaveLength(1);
    product.at('2026-11-21T13:00:00Z');
    const next = await product.json(['report']);
    expect(next.value.decisions).toMatchObject([{ state: 'proposed', proposal: expect.stringMatching(/^\w{4}$/) }]);
  });

  it.each([
    ['twice', ['reject']],
    ['after it was approved', ['approve']],
  ])('%s exits with 2 and says who decided', async (_words, [first = '']) => {
    const { product, code } = await proposed();
    await product.run(['budgets', first, code]);
    const { code: exit, stdout, stderr } = await product.run(['budgets', 'reject', code]);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /error: Proposal \w{4} was (rejected|approved) by anna at .*\nnext step: To see the changes that await approval, run pacekeeper budgets list\./,
    );
  });

  it.runIf(onFiles)('keeps the rejection if publishing fails, and exits with 1 and the reason', async () => {
    const { product, code } = await proposed();
    mkdirSync(nextPath(join(product.folder, 'data', 'warehouse.sqlite')));
    const { code: exit, stdout, stderr } = await product.run(['budgets', 'reject', code]);
    expect([exit, stdout]).toEqual([1, rejection(code)]);
    expect(stderr).toContain('error: warehouse.sqlite could not be published and is unchanged: ');
    expect(proposals(product)).toEqual([{ code, state: 'rejected', decided_by: 'anna' }]);
  });

  it('exits with 2 before the first read, and leaves no folder', async () => {
    const product = await createProduct({ mode: 'approve' });
    const { code, stderr } = await product.run(['budgets', 'reject', 'ABCD']);
    expect(code).toBe(2);
    expect(stderr).toContain('No run has read data yet');
  });
});
