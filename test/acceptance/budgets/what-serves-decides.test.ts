import { describe, expect, it } from 'vitest';
import type { CampaignStatus } from '../../../src/domain/campaign-status.ts';
import type { ReportResult } from '../../../src/language/results/report-result.ts';
import { detailWords, endState } from '../../../src/views/report/decision-words.ts';
import { createProduct } from '../../support/product.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { createWorld, type World } from '../../support/world.ts';

const { customerId: EUR, campaignId: CAMPAIGN, campaignName: NAME, budgetId: BUDGET } = TRIMMED;
/** The one budget that campaigns share: those of accessories. */
const ACCESSORIES = {
  'stats.sql': `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
    FROM campaign WHERE segments.date DURING LAST_7_DAYS AND campaign.name LIKE 'Zubehör%'`,
};
const FEED = {
  'feed.yaml': `description: Feed what is clicked.
from: stats
for: budget
over: 7 days
when: clicks >= 1
currency: EUR
change: increase budget by 10%
limits: { minimum: { clicks: 1000000 } }
mode: apply
`,
};

const status = (world: World, campaign: string, to: CampaignStatus) =>
  world.sandbox.setCampaignStatus(EUR, campaign, to);
const sends = (world: World) =>
  world.sandbox.requests.filter(({ kind, validateOnly }) => kind === 'mutate' && !validateOnly);
/** The only decision, and the sentence about it. */
function only({ decisions: [decision] }: ReportResult) {
  return decision && { ...decision, state: endState(decision), detail: detailWords(decision) };
}

describe('a rule that changes budgets', () => {
  it.each([
    ['REMOVED', 'is removed'],
    ['PAUSED', 'is paused'],
  ] as const)('leaves alone the budget of a campaign that is %s, and says why', async (now, words) => {
    const world = await createWorld({ rules: TRIM_RULES, queries: TRIM_QUERIES });
    status(world, CAMPAIGN, now);
    const result = await world.report();
    expect(only(result)).toMatchObject({
      state: 'refused',
      code: 'NOT_SERVING',
      budgetId: BUDGET,
      detail: expect.stringContaining(`${NAME} (campaign ${CAMPAIGN}) ${words}`),
    });
    expect([result.run.exitCode, sends(world)]).toEqual([0, []]);
  });

  it('includes paused campaigns with include_paused, and never removed ones', async () => {
    const rules = { 'trim.yaml': `${TRIM_RULES['trim.yaml']}include_paused: true\n` };
    const world = await createWorld({ rules, queries: TRIM_QUERIES });
    status(world, CAMPAIGN, 'REMOVED');
    expect(only(await world.report())).toMatchObject({ code: 'NOT_SERVING' });
    status(world, CAMPAIGN, 'PAUSED');
    expect(only(await world.report())).toMatchObject({ state: 'applied' });
  });

  it('ignores removed campaigns that shared the budget, and names them', async () => {
    const world = await createWorld({ rules: FEED, queries: ACCESSORIES });
    const account = world.sandbox.market.accounts.find(({ customerId }) => customerId === EUR);
    const [live, ...gone] = account?.budgets.find(({ campaignIds }) => campaignIds.length > 1)?.campaignIds ?? [];
    for (const one of gone) status(world, one, 'REMOVED');
    const decision = only(await world.report());
    const [own] = world.rows('warehouse', `SELECT sum(clicks) AS clicks FROM stats WHERE campaign_id = ${live}`);
    expect(decision).toMatchObject({ code: 'NOT_ENOUGH_DATA', campaignId: live });
    expect(decision?.detail).toContain(`${Number(own?.clicks).toLocaleString('en-US')} clicks`);
    expect(decision?.reason).toMatch(/; without Zubehör .* \(campaign \d+\) \(removed\), Zubehör .* \(removed\)$/);
  });
});

describe('the preview of a rule for a removed campaign', () => {
  it('matches the report: explained, evaluated and backtested', async () => {
    const product = await createProduct({ mode: 'propose' });
    await product.run(['report']);
    product.sandbox.setCampaignStatus(EUR, CAMPAIGN, 'REMOVED');
    const explained = await product.json(['rules', 'explain', 'trim']);
    expect(explained.value.subjects).toMatchObject([{ truth: 'true', decisions: [{ code: 'NOT_SERVING' }] }]);
    const evaluated = await product.json(['rules', 'evaluate']);
    expect(evaluated.value.decisions).toMatchObject([{ state: 'refused', code: 'NOT_SERVING' }]);
    product.at('2026-11-21T12:00:00Z');
    const days = ['--from', '2026-11-20', '--to', '2026-11-20', '--all'];
    const { stdout } = await product.run(['rules', 'backtest', 'trim', ...days]);
    expect(stdout.replace(/\s+/g, ' ')).toContain(`${NAME} (campaign ${CAMPAIGN}) is removed`);
    expect(product.mutates()).toEqual([]);
  });
});
