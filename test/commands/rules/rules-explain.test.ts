import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sample } from '../../support/effort.ts';
import { BUDGET, createProduct, leftBy, type Product } from '../../support/product.ts';
import { TRIMMED } from '../../support/trim-rule.ts';

const QUERY = `SELECT customer.id, campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
FROM keyword_view WHERE segments.date DURING LAST_7_DAYS`;

const MONTH_QUERY = QUERY.replace('keyword_view', 'campaign')
  .replace('LAST_7_DAYS', 'LAST_30_DAYS')
  .replace('campaign.name', 'campaign.name, campaign.status');

function rule(kind: string, more = ''): string {
  return `description: Looks.\nfrom: campaign_days\nfor: ${kind}\nover: 7 days\nwhen: clicks >= 0\n${more}mode: apply\n`;
}

const CHANGE = 'change: decrease budget by 1%\nlimits: { floor: 1 }\ncurrency: EUR\n';

const RULES = {
  'shared.yaml': rule('budget', CHANGE),
  'each.yaml': rule('campaign', CHANGE),
  'whole.yaml': rule('account', CHANGE),
  'none.yaml': rule('campaign', `where: campaign_id = 1\n${CHANGE}`),
  'dollars.yaml': rule('campaign', CHANGE.replace('EUR', 'USD')),
};

const OPTIONS = { queries: { 'campaign_days.sql': QUERY }, rules: RULES };

let read: ReturnType<typeof leftBy> | undefined;

async function readOnce(): ReturnType<typeof leftBy> {
  const product = await createProduct(OPTIONS);
  const { code, stderr } = await product.run(['extract']);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return leftBy(product);
}

/** A product that has read its days; they are read once for all tests. */
async function extracted(): Promise<Product> {
  read ??= readOnce();
  return createProduct({ ...OPTIONS, left: await read });
}

const flat = (text: string): string => text.replace(/\s+/g, ' ');

const explain = (product: Product, name: string, campaign: string) =>
  product.json(['rules', 'explain', name, '--campaign', campaign]);

it('an hour that occurs twice is the same hour of the account twice', async () => {
  const hourly = rule('campaign', CHANGE).replace('clicks >= 0', 'hour = 2 AND clicks >= 0');
  const product = await createProduct({ queries: OPTIONS.queries, rules: { 'hourly.yaml': hourly } });
  product.at('2026-10-25T00:30:00Z');
  expect(await product.run(['extract', '--from', '2026-10-10', '--to', '2026-10-23'])).toMatchObject({
    code: 0,
  });
  const said: string[] = [];
  for (const at of ['2026-10-24T23:30:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']) {
    product.at(at);
    const { value } = await explain(product, 'hourly', TRIMMED.campaignId);
    said.push(value.subjects[0].clauses[0].text);
  }
  expect(said).toEqual(['hour (1) = 2', 'hour (2) = 2', 'hour (2) = 2']);
});

it('labels are found by their names, in the report and in past days', async () => {
  const query = QUERY.replace('campaign.name,', 'campaign.name, campaign.labels,').replace('keyword_view', 'campaign');
  const product = await createProduct({
    queries: { 'campaign_days.sql': query },
    rules: {
      'pilot.yaml': rule('campaign', `where: "'pilot' IN campaign_labels"\n${CHANGE}`),
      'plain.yaml': rule('campaign', `where: "'pilot' NOT IN campaign_labels"\n${CHANGE}`),
    },
  });
  expect(await product.run(['extract', '--from', '2026-11-01', '--to', '2026-11-19'])).toMatchObject({ code: 0 });
  const lookedAt = async (name: string) => (await product.json(['rules', 'explain', name])).value.results[0].subjects;
  const all = await lookedAt('plain');
  expect([await lookedAt('pilot'), all > 2]).toEqual([2, true]);
  const { value: tried } = await product.json([
    'rules',
    'backtest',
    'pilot',
    '--from',
    '2026-11-18',
    '--to',
    '2026-11-19',
  ]);
  expect(tried.results).toMatchObject([{ evaluated: 2, subjects: 4 }]);
});

it('an account whose labels cannot be read evaluates no rule; without such rules, none are read', async () => {
  const query = QUERY.replace('campaign.name,', 'campaign.name, campaign.labels,').replace('keyword_view', 'campaign');
  const pilot = rule('campaign', `where: "'pilot' IN campaign_labels"\n${CHANGE}`);
  const product = await createProduct({
    queries: { 'campaign_days.sql': query },
    rules: { 'pilot.yaml': pilot, 'each.yaml': rule('campaign', CHANGE) },
  });
  const asked = () => product.sandbox.requests.filter((one) => one.query?.includes('label.name')).length;
  await product.json(['rules', 'explain', 'each']);
  expect(asked()).toBe(0);
  product.fault = (one) => (one.query?.includes('label.name') ? { kind: 'status', status: 400 } : undefined);
  const { value } = await product.json(['rules', 'explain', 'pilot']);
  expect(value.failures).toEqual([expect.stringContaining('its labels could not be read, so no rule was evaluated')]);
  const tried = await product.run(['rules', 'backtest', 'pilot', '--from', '2026-11-18', '--to', '2026-11-19']);
  expect([tried.code, flat(tried.stdout + tried.stderr)]).toEqual([1, expect.stringContaining('cannot be read')]);
});

describe('pacekeeper rules explain --campaign', () => {
  it.each(
    sample([
      ['the budget that the campaign spends from', 'shared', { budget_id: BUDGET }],
      ['the account of the campaign', 'whole', { budget_id: null }],
    ]),
  )('shows %s', async (_words, name, subject) => {
    const { code, value } = await explain(await extracted(), name, TRIMMED.campaignId);
    expect([code, value.notes]).toEqual([0, []]);
    expect(value.subjects).toMatchObject([{ customer_id: TRIMMED.customerId, ...subject }]);
  });

  it.each(
    sample([
      ['its where', 'none', 'the "where" of the rule excludes the campaign.'],
      ['its currency', 'dollars', `the rule was not evaluated for account ${TRIMMED.customerId} (for USD only).`],
    ]),
  )('explains that a rule skips a campaign because of %s', async (_words, name, sentence) => {
    const { code, value } = await explain(await extracted(), name, TRIMMED.campaignId);
    expect([code, value.subjects]).toEqual([0, []]);
    expect(value.notes).toEqual([expect.stringContaining(sentence)]);
  });

  it('explains why the rule was not evaluated if no day was read', async () => {
    const product = await createProduct(OPTIONS);
    const { code, stdout } = await product.run(['rules', 'explain', 'shared', '--campaign', TRIMMED.campaignId]);
    expect(code).toBe(0);
    expect(stdout).toContain('No data yet. Run pacekeeper extract.');
    expect((await explain(product, 'shared', TRIMMED.campaignId)).value.notes).toEqual([
      expect.stringMatching(/was not evaluated for account \d+ \(campaign_days has no complete data for /),
    ]);
  });

  it.each(sample(['shared', 'dollars']))(
    'refuses an unknown campaign, also for accounts in another currency: %s',
    async (name) => {
      const { code, stderr } = await explain(await extracted(), name, '99');
      expect([code, stderr]).toEqual([2, expect.stringContaining('error: No account has a campaign 99.\n')]);
    },
  );
});

describe('pacekeeper rules explain', () => {
  it('shows which clauses decided, within 80 columns and as JSON', async () => {
    const two = rule('campaign', CHANGE).replace('clicks >= 0', 'clicks >= 0 AND (cost > 9999 OR clicks < 0)');
    const product = await createProduct({ ...OPTIONS, rules: { 'two.yaml': two } });
    await product.run(['extract']);
    const { stdout } = await product.run(['rules', 'explain', 'two', '--campaign', TRIMMED.campaignId], {
      columns: 80,
    });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(flat(stdout)).toContain('Decided by: cost (274.97) > 9999 is false; clicks (82) < 0 is false');
    const { value } = await explain(product, 'two', TRIMMED.campaignId);
    expect(value.subjects[0].clauses).toEqual([
      { text: 'clicks (82) >= 0', truth: 'true', decided: false },
      { text: 'cost (274.97) > 9999', truth: 'false', decided: true },
      { text: 'clicks (82) < 0', truth: 'false', decided: true },
    ]);
  });

  it('names each budget of an account by its campaign', async () => {
    const { stdout } = await (await extracted()).run(['rules', 'explain', 'whole'], { columns: 200 });
    const campaign = `(campaign ${TRIMMED.campaignId}), budget ${BUDGET}: `;
    expect(stdout).toMatch(new RegExp(`WOULD CHANGE \\S.* ${campaign.replace(/[()]/g, '\\$&')}`));
  });

  it('shows how to read the missing days, without findings on other rules', async () => {
    const month = rule('account', CHANGE.replace('decrease budget by 1%', 'pace budget to 900 per month'));
    const product = await createProduct({
      queries: { 'campaign_days.sql': MONTH_QUERY },
      rules: { ...RULES, 'month.yaml': month.replace(/over.*\nwhen.*\n/, '').replace('floor: 1', 'ceiling: 500') },
    });
    expect(await product.run(['extract', '--from', '2026-11-10', '--to', '2026-11-19'])).toMatchObject({ code: 0 });
    const other = await product.run(['rules', 'explain', 'each']);
    expect([other.code, other.stderr]).toEqual([0, '']);
    const own = await product.run(['rules', 'explain', 'month'], { columns: 200 });
    expect(own.stderr).toContain('Without a floor');
    const step =
      /To read the missing days, run pacekeeper (extract --query campaign_days --from 2026-1\d-\d\d --to 2026-11-09)\./;
    const [, command = ''] = flat(own.stdout).match(step) ?? [];
    expect(flat((await product.run(['pacing'], { columns: 200 })).stdout)).toContain(command);
    expect(await product.run(command.split(' '))).toMatchObject({ code: 0 });
    expect(flat((await product.run(['pacing'], { columns: 200 })).stdout)).not.toMatch(/extract|not hold/);
  });

  it('names the budgets for which the filter excludes some campaigns', async () => {
    const product = await extracted();
    const { value } = await product.json(['rules', 'explain', 'each']);
    type Explained = { readonly campaign_id: string; readonly budget_id: string };
    const campaigns: readonly Explained[] = value.subjects;
    const one = campaigns.find(({ budget_id: id }) => campaigns.filter((own) => own.budget_id === id).length > 1);
    expect(one).toBeDefined();
    const partly = rule('budget', `where: campaign_id = ${one?.campaign_id}\n${CHANGE}`);
    writeFileSync(join(product.folder, 'rules', 'partly.yaml'), partly);
    const { value: explained } = await product.json(['rules', 'explain', 'partly']);
    expect([explained.subjects, explained.results.length]).toEqual([[], 1]);
    expect(explained.notes).toEqual([
      `Left out: budget ${one?.budget_id}. The "where" of the rule matches only some of its campaigns.`,
    ]);
    const { value: of } = await explain(product, 'partly', String(one?.campaign_id));
    expect(of.notes).toEqual([
      expect.stringMatching(/the "where" of the rule excludes another campaign of that budget\.$/),
    ]);
  });
});
