import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serveInProcess } from '../../commands/serve/serve-in-process.ts';
import { createProduct, type Product, type ProductOptions } from '../../support/product.ts';

const PHONE = '+15550100002';
const EUR = '4081725530';
const USD = '6193047821';
const QUERIES = { 'campaign_spend.sql': readFileSync('queries/campaign_spend.sql', 'utf8') };

/** Cut by 15% what spent 200 without a conversion in a complete fortnight. */
const CUT = `description: Cut what spent 200 without a conversion in a complete fortnight.
from: campaign_spend
for: campaign
over: 14 days
when: conversions = 0 AND cost >= 200
currency: EUR
change: decrease budget by 15%
limits: { floor: 5, cooldown: 22 days, drift: 30% over 365 days }
mode: approve
`;

/** Raise by 10% what loses more than a fifth to its budget at a return above 4. */
const RAISE = `description: Raise what loses more than a fifth to its budget at a return above 4.
from: campaign_spend
for: campaign
over: 14 days
when: roas > 4 AND search_budget_lost_impression_share > 20%
currency: USD
change: increase budget by 10%
limits: { ceiling: 150, cooldown: 22 days }
mode: approve
`;

const analyst = (options: ProductOptions = {}): Promise<Product> =>
  createProduct({
    mode: 'approve',
    queries: QUERIES,
    rules: { 'cut.yaml': CUT, 'raise.yaml': RAISE },
    customers: `${EUR},${USD}`,
    config: `alerts: { approvers: ["${PHONE}"] }\n`,
    ...options,
  });

describe('an analyst with two rules on results', () => {
  it('checks, backtests and simulates them, gets them approved by reply, and undoes one change', async () => {
    const product = await analyst();
    const { sandbox, run, folder } = product;
    expect(await run(['check'])).toMatchObject({ code: 0, stdout: '3 files, 0 errors, 0 warnings.\n' });

    await run(['extract', '--from', '2026-09-01', '--to', '2026-11-19']);
    const tried = await product.json(['rules', 'backtest', 'cut', '--from', '2026-10-01', '--to', '2026-11-19']);
    expect(tried.code).toBe(0);
    expect(tried.value.rows).toContainEqual(
      expect.objectContaining({ row: 'change', campaign_name: 'Generisch - Zelte', from_micros: 85_000_000 }),
    );
    expect(product.mutates()).toEqual([]);

    const market = ['--days', '30', '--customer', USD];
    const simulated = JSON.parse((await run(['simulate', ...market, '--format', 'json'])).stdout);
    expect(simulated.with.conversions).toBeGreaterThan(simulated.without.conversions);
    expect(simulated.rules.find(({ rule }: { rule: string }) => rule === 'raise').changes).toBeGreaterThan(0);

    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([
      { rule: 'cut', state: 'proposed', campaign_name: 'Generisch - Zelte' },
      { rule: 'raise', state: 'proposed', campaign_name: 'Trail Running Shoes' },
    ]);
    for (const { reason } of value.decisions) expect(reason).toContain('complete for conversions after 7 days');
    expect(value.decisions[0].reason).toContain('2026-10-30 to 2026-11-12');

    const { messages, graph } = sandbox.credentials;
    const served = await serveInProcess(folder, {
      ...product.env(),
      MESSAGES_PASSWORD: messages.password,
      GRAPH_APP_SECRET: graph.appSecret,
    });
    for (const [index, { proposal }] of value.decisions.entries()) {
      const id = `SM0000000000000000000000000000000${index + 1}`;
      const reply = { channel: 'messages', from: PHONE, text: `YES ${proposal}`, id } as const;
      expect(await sandbox.receive(reply, served.ready.address)).toBe(200);
      await served.until(new RegExp(`about ${proposal}: approved`));
    }
    expect(await served.stop()).toBe(0);
    expect(amounts(product)).toEqual([72_250_000n, 99_000_000n]);

    const { changes } = (await product.json(['budgets', 'history'])).value;
    const raised = changes.find(({ rule }: { rule: string }) => rule === 'raise');
    expect(raised).toMatchObject({
      campaign_name: 'Trail Running Shoes',
      from_micros: 90_000_000,
      to_micros: 99_000_000,
    });
    expect(raised.actor).toContain('by message');
    const undone = await run(['budgets', 'undo', `B${raised.id}`, '--why', 'stock ends']);
    expect(undone.code).toBe(0);
    expect(amounts(product)).toEqual([72_250_000n, 90_000_000n]);
    expect((await run(['audit', 'verify'])).code).toBe(0);
  });
});

const amounts = ({ sandbox }: Product) => [
  sandbox.budgetAmount(EUR, '11087046455'),
  sandbox.budgetAmount(USD, '12087030970'),
];

describe('days complete for conversions', () => {
  const read = async (config: string, rule?: string) => {
    const product = await analyst({ mode: 'apply', rules: { 'cut.yaml': rule ?? CUT }, customers: EUR, config });
    const { value } = await product.json(['report']);
    return JSON.stringify(value.decisions);
  };

  it.each([
    ['the default', '', '2026-10-30 to 2026-11-12 (complete for conversions after 7 days)'],
    [
      'the settings',
      'extract: { conversion_window: 2 }\n',
      '2026-11-04 to 2026-11-17 (complete for conversions after 2 days)',
    ],
    [
      'an account',
      `accounts: { ${EUR}: { conversion_window: 14 } }\n`,
      '2026-10-23 to 2026-11-05 (complete for conversions after 14 days)',
    ],
    [
      'the table, if its days are complete later',
      'extract: { settle_days: { campaign_spend: 10 } }\n',
      '2026-10-27 to 2026-11-09 (complete for conversions after 10 days)',
    ],
  ])('follow %s', async (_, config, words) => {
    expect(await read(config)).toContain(words);
  });

  it('follow the rule before the account, and a rule without conversions does not wait', async () => {
    const own = `${CUT}conversion_window: 0 days\n`;
    const account = `accounts: { ${EUR}: { conversion_window: 14 } }\n`;
    expect(await read(account, own)).toContain('2026-11-06 to 2026-11-19 (complete for conversions after 0 days)');
    const ofCost = CUT.replace('conversions = 0 AND cost >= 200', 'cost >= 600');
    expect(await read(account, ofCost)).toContain('2026-11-06 to 2026-11-19; ');
  });

  it('do not include a day that was read before its conversions were complete', async () => {
    const product = await analyst({ mode: 'apply', rules: { 'cut.yaml': CUT }, customers: EUR, config: '' });
    await product.json(['report']);
    // The day's rows stay, but nothing read them again.
    product.execute("UPDATE account_day SET read_at = '2026-11-13T12:00:00Z' WHERE date = '2026-11-12'");
    const { value } = await product.json(['report', '--no-extract']);
    expect(value.rules[0].not_evaluated).toBe('campaign_spend has no complete data for 2026-11-12');
  });
});
