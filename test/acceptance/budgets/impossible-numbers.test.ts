import { describe, expect, it } from 'vitest';
import { createProduct, type Product } from '../../support/product.ts';
import { TRIMMED } from '../../support/trim-rule.ts';

const { campaignId: CAMPAIGN, campaignName: NAME } = TRIMMED;
const DAY = '2026-11-19';

const QUERIES = {
  'stats.sql': `SELECT campaign.id, campaign.name, metrics.impressions, metrics.clicks, metrics.cost_micros,
    metrics.conversions, metrics.conversions_value, segments.date
    FROM campaign WHERE segments.date DURING LAST_7_DAYS`,
};

const raiseIf = (when: string) => ({
  'raise.yaml': `description: Raise what looks cheap.
from: stats
for: campaign
over: 7 days
when: ${when}
currency: EUR
change: increase budget by 10%
limits: { ceiling: 200, step: 10%, cooldown: 1 day }
mode: apply
`,
});

const CONFIG = 'extract: { conversion_window: 0 }\n';

/** Ordinary numbers, as the service writes them in JSON. */
const ORDINARY = { impressions: '"2000"', clicks: '"100"', costMicros: '"140000000"', conversions: '10' };

/** The service answers the statistics of one day with rows of these numbers. */
function answer(product: Product, ...rows: readonly Readonly<Record<string, string>>[]): void {
  product.fault = ({ query }) => {
    if (!query?.includes('metrics.conversions_value')) return undefined;
    return { kind: 'replace', body: `[{"results":[${rows.map(jsonOf).join(',')}]}]` };
  };
}

function jsonOf(numbers: Readonly<Record<string, string>>, index: number): string {
  const metrics = Object.entries({ ...ORDINARY, ...numbers }).map(([name, value]) => `"${name}":${value}`);
  const campaign = index === 0 ? `"id":"${CAMPAIGN}","name":"${NAME}"` : `"id":"${index}","name":"Other"`;
  return `{"campaign":{${campaign}},"segments":{"date":"${DAY}"},"metrics":{${metrics.join(',')}}}`;
}

describe('numbers that cannot be', () => {
  it.each([
    ['net conversions below zero', 'cpa < 20', { conversions: '-49' }, 'conversions is -49, below zero'],
    ['a negative cost', 'cpa < 20', { costMicros: '"-140000000"' }, 'cost is -140.00, below zero'],
    ['a negative cost as a sum', 'cost < 100', { costMicros: '"-5000000"' }, 'cost is -5.00, below zero'],
    ['negative clicks', 'ctr < 1%', { clicks: '"-3"' }, 'clicks is -3, below zero'],
    ['negative impressions', 'impressions < 5', { impressions: '"-3"' }, 'impressions is -3, below zero'],
    ['a withdrawn value', 'cost / conversions_value < 1', { conversionsValue: '-7' }, 'conversions_value is -7'],
    ['infinitely many conversions', 'cpa < 20', { conversions: '1e400' }, 'infinite or too large'],
    ['more conversions than a sum can hold', 'conversions > 5', { conversions: '1e308' }, 'infinite or too large'],
    ['an infinite value', 'roas > 4', { conversionsValue: '1e400' }, 'infinite or too large'],
  ])('raise no budget, and the reason is shown: %s', async (_, when, numbers, why) => {
    const product = await createProduct({ queries: QUERIES, config: CONFIG, rules: raiseIf(when) });
    answer(product, numbers);
    const { code, value } = await product.json(['report']);
    expect([code, value.decisions]).toEqual([0, []]);
    expect(value.rules).toMatchObject([{ rule: 'raise', unknown: 1 }]);
    expect(product.mutates()).toEqual([]);
    const { stdout } = await product.run(['rules', 'explain', 'raise']);
    expect(stdout.replace(/\s+/g, ' ')).toContain(why);
    expect((await product.run(['report', '--no-extract'])).code).toBe(0);
  });

  it('are published as NULL, not as a rate that looks cheap, and no day is lost', async () => {
    const product = await createProduct({ queries: QUERIES, config: CONFIG, rules: raiseIf('cpa < 20') });
    const huge = { conversions: '1e308', conversionsValue: '1e308' };
    answer(product, { conversions: '-49' }, huge, huge, { conversions: '1e-320' }, {});
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    const rows = product.rows('SELECT conversions, cpa, roas FROM stats_by_day ORDER BY campaign_id DESC', 'warehouse');
    expect(rows.map(({ conversions, cpa, roas }) => [conversions, cpa, roas])).toEqual([
      [-49, null, 0],
      [10, 14, 0],
      [1e-320, null, 0],
      [null, null, null],
      [null, null, null],
    ]);
    const states = product.rows(`SELECT state FROM account_day WHERE date = '${DAY}'`);
    expect(states).toEqual([{ state: 'settled' }]);
    expect(product.rows('SELECT sum(clicks) AS clicks FROM stats_by_month', 'warehouse')).toMatchObject([
      { clicks: 500 },
    ]);
  });

  it('stay numbers as sums of conversions, which adjustments may take below zero', async () => {
    const product = await createProduct({ queries: QUERIES, config: CONFIG, rules: raiseIf('conversions < 5') });
    answer(product, { conversions: '-49' });
    const { value } = await product.json(['report']);
    expect(value.decisions).toMatchObject([
      { state: 'applied', reason: expect.stringContaining('conversions (-49) < 5') },
    ]);
  });

  it('are too little data', async () => {
    const rules = raiseIf('clicks >= 1');
    const limits = (text: string) => ({ 'raise.yaml': rules['raise.yaml'].replace('step:', `${text}, step:`) });
    const product = await createProduct({
      queries: QUERIES,
      config: CONFIG,
      rules: limits('minimum: { conversions: 0 }'),
    });
    answer(product, { conversions: '-49' });
    expect((await product.json(['report'])).value.decisions).toMatchObject([{ code: 'NOT_ENOUGH_DATA' }]);
    const other = await createProduct({
      queries: QUERIES,
      config: CONFIG,
      rules: limits('minimum: { conversions: 3 }'),
    });
    answer(other, { conversions: '1e400' });
    expect((await other.json(['report'])).value.decisions).toMatchObject([{ code: 'NOT_ENOUGH_DATA' }]);
  });
});
