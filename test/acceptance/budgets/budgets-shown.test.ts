import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { BUDGET, copiesOf, createProduct, isChange, type Product } from '../../support/product.ts';
import { TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR, campaignId, campaignName } = TRIMMED;
const HOSTILE = `Evil \\u001b[31mred\\u0007\\r\\nsecond line \\u202Eturned 東京文具店 ${'very '.repeat(40)}${'x'.repeat(150)}`;

/** The service calls the campaign by a name that no terminal should see as it is. */
function renamed(product: Product): void {
  const row = (date: string) => ({
    campaign: { id: campaignId, name: JSON.parse(`"${HOSTILE}"`) },
    metrics: { clicks: '40', costMicros: '132000000' },
    segments: { date },
  });
  const days = ['13', '14', '15', '16', '17', '18', '19'].map((day) => row(`2026-11-${day}`));
  product.fault = ({ kind, query }) =>
    kind === 'stream' && query?.includes('keyword_view')
      ? { kind: 'replace', body: JSON.stringify([{ results: days }]) }
      : undefined;
}

/** One proposal that waits, in a product whose campaign has the hostile name. */
async function waiting(): Promise<{ product: Product; code: string }> {
  const product = await waitingProduct();
  renamed(product);
  const [proposal] = product.rows('SELECT code FROM budget_proposal');
  return { product, code: String(proposal?.code) };
}

const waitingProduct = copiesOf(
  async () => {
    const product = await createProduct({ mode: 'approve' });
    renamed(product);
    await product.run(['report']);
    return product;
  },
  { mode: 'approve' },
);

const tooLong = (text: string, columns: number) => text.split('\n').filter((line) => stringWidth(line) > columns);

describe('pacekeeper budgets list', () => {
  it('says so if nothing awaits approval', async () => {
    const product = await createProduct({ mode: 'approve' });
    await product.run(['report', '--dry-run']);
    expect(await product.run(['budgets', 'list'])).toMatchObject({ code: 0, stdout: 'No changes await approval.\n' });
    expect((await product.json(['budgets', 'list'])).value).toEqual({
      frozen: null,
      plans: [],
      proposals: [],
      past: [],
      open: [],
    });
  });

  it('shows proposals with their codes, changes without an outcome, and a freeze', async () => {
    const product = await createProduct({ mode: 'approve' });
    const code = (await product.json(['report'])).value.decisions[0].proposal;
    await product.run(['freeze', '--why', 'a sale']);
    const { stdout } = await product.run(['budgets', 'list'], { columns: 140 });
    expect(stdout).toMatch(
      /^No budget is changed: frozen by anna since \S+ \S+ UTC: a sale\. Run pacekeeper unfreeze to allow changes again\.\n\nAwaiting approval\n/,
    );
    expect(stdout).toMatch(
      new RegExp(`  ${code}  awaiting approval  ${campaignName} .*60\\.00 EUR  51\\.00 EUR  trim\n`),
    );
    expect(stdout).toContain(`(${EUR})`);
    expect(stdout).toContain('    until the report of 2026-11-21, at the latest 2026-11-21 12:00 UTC\n');
    const { value } = await product.json(['budgets', 'list']);
    expect(value).toMatchObject({
      frozen: expect.stringContaining('a sale'),
      proposals: [
        { code, state: 'open', customer_id: EUR, budget_id: BUDGET, from_micros: 60_000_000, intent_id: null },
      ],
      open: [],
    });
    expect((await product.json(['budgets', 'list', '--customer', '6193047821'])).value.proposals).toEqual([]);
  });

  it('shows a change until its outcome is known', async () => {
    const product = await createProduct();
    product.fault = (request) => (isChange(request) ? { kind: 'reset_after' } : undefined);
    await product.run(['report']);
    product.fault = undefined;
    const { stdout } = await product.run(['budgets', 'list'], { columns: 140 });
    expect(stdout).toMatch(/^Changes under way or in doubt\n.*\n {2}B1 +outcome unknown /);
    expect((await product.json(['budgets', 'list'])).value.open).toMatchObject([{ id: 1, state: 'unknown' }]);
    await product.run(['budgets', 'reconcile']);
    expect((await product.run(['budgets', 'list'])).stdout).toBe('No changes await approval.\n');
  });
});

describe('pacekeeper budgets list --all', () => {
  it('shows closed proposals, with who ended them, when and why', async () => {
    const product = await createProduct({ mode: 'approve' });
    const code = (await product.json(['report'])).value.decisions[0].proposal;
    await product.run(['budgets', 'reject', code, '--why', 'not now']);
    const { stdout } = await product.run(['budgets', 'list', '--all'], { columns: 200 });
    expect(stdout).toMatch(/^Past proposals\n.*\n.* rejected .* anna +2026-11-20 12:00 UTC\n.*\n {4}not now\n/);
    expect((await product.json(['budgets', 'list', '--all'])).value.past).toMatchObject([
      { code, state: 'rejected', decided_by: 'anna', why: 'not now', reply: null },
    ]);
  });
});

describe('pacekeeper budgets show', () => {
  it('shows a proposal with its history and the resulting change', async () => {
    const { product, code } = await waiting();
    await product.run(['budgets', 'approve', code, '--why', 'fine']);
    for (const reference of [code, code.toLowerCase()]) {
      const { value } = await product.json(['budgets', 'show', reference]);
      expect(value.proposal).toMatchObject({ code, state: 'approved', decided_by: 'anna', intent_id: 1 });
      expect(value.change).toMatchObject({ id: 1, state: 'applied' });
      expect(value.events.map(({ kind }: { kind: string }) => kind)).toEqual([
        'proposed',
        'planned',
        'approved',
        'validated',
        'sending',
        'applied',
      ]);
    }
    const { stdout } = await product.run(['budgets', 'show', 'B1'], { columns: 140 });
    expect(stdout).toMatch(/Events\n.*\n {2}2 +planned +approved by anna /);
    expect(stdout).toContain('request_id sandbox-');
  });

  it.each(['QQQQ', 'B9', '0', 'B0', 'B99999999999999999999', "'; DROP TABLE budget_intent; --", ' '])(
    'of %j, which there is not, ends with 2 and says where to look',
    async (reference) => {
      const product = await createProduct();
      await product.run(['report', '--dry-run']);
      const { code, stdout, stderr } = await product.run(['budgets', 'show', reference]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('No such proposal or change: "');
      expect(stderr).toContain('next step: Run pacekeeper budgets list for proposal codes');
    },
  );
});

describe('pacekeeper budgets history', () => {
  it('shows changes newest first, filtered by campaign or account, up to the limit', async () => {
    const product = await createProduct();
    await product.run(['report']);
    product.at('2026-11-20T12:10:00Z');
    await product.run(['budgets', 'undo', 'B1']);
    const ids = async (...options: string[]) =>
      (await product.json(['budgets', 'history', ...options])).value.changes.map(({ id }: { id: number }) => id);
    expect(await ids()).toEqual([2, 1]);
    expect(await ids('--limit', '1')).toEqual([2]);
    expect(await ids('--campaign', campaignId)).toEqual([2, 1]);
    expect(await ids('--campaign', '5')).toEqual([]);
    expect(await ids('--customer', EUR)).toEqual([2, 1]);
    expect(await ids('--customer', '6193047821')).toEqual([]);
    const { stdout } = await product.run(['budgets', 'history'], { columns: 140 });
    expect(stdout).toMatch(new RegExp(`^.*\n  B2 .*\\(${EUR}\\).*\n    undo of B1 by anna\n`));
    expect(stdout).toMatch(/undone by B2 \(anna, 2026-11-20 12:10 UTC\)\n$/);
    const { value } = await product.json(['budgets', 'show', 'B1']);
    expect(value.change).toMatchObject({ id: 1, undone_by: { id: 2, actor: 'anna' } });
  });

  it.each([
    [
      'before any change',
      async (product: Product) => void (await product.run(['report', '--dry-run'])),
      0,
      'No budget changes yet.\n',
    ],
    ['before any run', async () => undefined, 2, ''],
  ])('%s says so', async (_words, before, code, stdout) => {
    const product = await createProduct();
    await before(product);
    expect(await product.run(['budgets', 'history'])).toMatchObject({ code, stdout });
  });

  it('takes a first day, a person and a rule, and says who or what the record does not know', async () => {
    const product = await createProduct();
    await product.run(['report']);
    product.at('2026-11-21T12:10:00Z');
    await product.run(['budgets', 'undo', 'B1', '--by', 'anna', '--why', 'a sale']);
    const ids = async (...options: string[]) =>
      (await product.json(['budgets', 'history', ...options])).value.changes.map(({ id }: { id: number }) => id);
    expect(await ids('--by', 'anna')).toEqual([2]);
    expect(await ids('--rule', 'trim')).toEqual([1]);
    expect(await ids('--since', '2026-11-21')).toEqual([2]);
    expect(await ids('--since', '2026-11-20', '--rule', 'trim')).toEqual([1]);
    for (const [option, words] of [
      [['--by', '<b>ben</b>'], 'The record has nothing by “<b>ben</b>”.'],
      [['--rule', 'trimm'], 'The record has nothing of a rule “trimm”.'],
      [['--since', '2026-11-22'], ''],
    ] as const) {
      const { code, stdout, stderr } = await product.run(['budgets', 'history', ...option]);
      expect([code, stdout]).toEqual([0, 'No budget change matches the filter.\n']);
      expect(stderr).toContain(words);
    }
    const { stdout } = await product.run(['budgets', 'history', '--by', 'anna', '--format', 'csv']);
    expect(stdout.trim().split('\r\n')).toHaveLength(2);
  });

  it.each(['yesterday', '2026-02-30', '', '20261101'])('refuses the first day "%s"', async (since) => {
    const product = await createProduct();
    const { code, stdout, stderr } = await product.run(['budgets', 'history', '--since', since]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--since');
    expect(stderr).toContain('Expected a date such as 2026-03-31.');
  });

  it.each(['0', '-1', 'many', '1.5'])('refuses a limit of %s', async (limit) => {
    const product = await createProduct();
    const { code, stderr } = await product.run(['budgets', 'history', '--limit', limit]);
    expect(code).toBe(2);
    expect(stderr).toContain('Expected a whole number from 1 to 1000000.');
  });
});

describe('names of every kind', () => {
  it.each([80, 140])('keep within %d columns, and reach no terminal as control characters', async (columns) => {
    const { product, code } = await waiting();
    const texts: string[] = [];
    const see = async (...args: string[]) => texts.push((await product.run(args, { columns })).stdout);
    await see('budgets', 'list');
    await see('budgets', 'show', code);
    await see('rules', 'explain', 'trim');
    await see('rules', 'evaluate');
    await see('budgets', 'approve', code, '--why', 'fine '.repeat(90));
    await see('budgets', 'show', code);
    await see('budgets', 'show', 'B1');
    await see('budgets', 'history');
    await see('budgets', 'undo', 'B1', '--by', 'Zoë '.repeat(20).trim());
    await see('audit', 'verify');
    await see('freeze', '--why', 'w '.repeat(200));
    texts.pop();
    await see('budgets', 'list');
    expect(texts.filter((text) => text === '')).toEqual([]);
    for (const text of texts) {
      expect(tooLong(text, columns)).toEqual([]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there.
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(text).not.toMatch(/^second line/m);
    }
  });

  it('stay as they are in JSON and in the tables', async () => {
    const { product } = await waiting();
    const name = JSON.parse(`"${HOSTILE}"`);
    expect((await product.json(['budgets', 'list'])).value.proposals[0].campaign_name).toBe(name);
    expect(product.rows('SELECT campaign_name FROM budget_proposal')).toEqual([{ campaign_name: name }]);
  });
});
