import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../support/fake-time.ts';
import { EUR, freshSandbox, rowsOf, search, USD } from '../sandbox-client.ts';

const WEEK = "segments.date BETWEEN '2026-11-10' AND '2026-11-16'";
type Metrics = Readonly<Record<string, string | number>>;

const sumOf = (rows: readonly { readonly metrics: Metrics }[], name: string): number =>
  rows.reduce((sum, { metrics }) => sum + Number(metrics[name] ?? 0), 0);

describe('results', () => {
  it('conversions are fractions, and the same sum from every resource that counts them', async () => {
    const sandbox = await freshSandbox();
    const fields = 'metrics.clicks, metrics.cost_micros, metrics.conversions, metrics.conversions_value';
    const from = async (select: string, resource: string) =>
      rowsOf(sandbox, EUR, `SELECT ${select}, ${fields} FROM ${resource} WHERE ${WEEK}`);
    const whole = await from('customer.id', 'customer');
    const [{ metrics }] = whole as [{ metrics: Metrics }];
    expect(Number(metrics.conversions)).toBeGreaterThan(10);
    expect(Number.isInteger(metrics.conversions)).toBe(false);
    for (const [select, resource] of [
      ['campaign.id', 'campaign'],
      ['campaign.id, segments.device, segments.ad_network_type, segments.hour, segments.date', 'campaign'],
      ['ad_group.id', 'ad_group'],
      ['ad_group.id, ad_group_ad.ad.id, segments.device', 'ad_group_ad'],
      ['search_term_view.search_term', 'search_term_view'],
      ['geographic_view.country_criterion_id', 'geographic_view'],
      ['geographic_view.country_criterion_id, campaign.id', 'geographic_view'],
      ['campaign_budget.id', 'campaign_budget'],
      ['ad_group_criterion.criterion_id', 'keyword_view'],
    ] as const) {
      const rows = await from(select, resource);
      for (const name of ['clicks', 'costMicros', 'conversions', 'conversionsValue']) {
        expect(sumOf(rows, name), `${name} of ${select}`).toBeCloseTo(Number(metrics[name]), 6);
      }
    }
  });

  it('newer days still gain conversions, older ones are final', async () => {
    const query = 'SELECT metrics.conversions, segments.date FROM customer WHERE segments.date DURING LAST_30_DAYS';
    const on = async (now: string) =>
      new Map(
        (await rowsOf(await freshSandbox({ clock: fakeClock(now) }), USD, query)).map(
          (row: { metrics: Metrics; segments: { date: string } }) => [
            row.segments.date,
            Number(row.metrics.conversions ?? 0),
          ],
        ),
      );
    const before = await on('2026-11-20T12:00:00Z');
    const after = await on('2026-12-10T12:00:00Z');
    const both = [...before].filter(([date]) => after.has(date));
    expect(both.length).toBeGreaterThan(5);
    expect(both.some(([date, count]) => (after.get(date) ?? 0) > count)).toBe(true);
  });

  it('search shares add up to one, and only a limited budget loses impressions', async () => {
    const sandbox = await freshSandbox();
    const rows = await rowsOf(
      sandbox,
      USD,
      `SELECT campaign.name, campaign.advertising_channel_type, metrics.search_impression_share,
        metrics.search_budget_lost_impression_share, metrics.search_rank_lost_impression_share
        FROM campaign WHERE ${WEEK}`,
    );
    const lost = new Map<string, number>();
    for (const { campaign, metrics } of rows as {
      campaign: Record<string, string>;
      metrics: Record<string, number>;
    }[]) {
      const shares = [
        metrics.searchImpressionShare,
        metrics.searchBudgetLostImpressionShare,
        metrics.searchRankLostImpressionShare,
      ].map(Number);
      for (const share of shares) expect(share).toBeLessThanOrEqual(1);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6);
      lost.set(campaign.name ?? '', shares[1] ?? 0);
    }
    expect(lost.get('Trail Running Shoes')).toBeGreaterThan(0.3);
    expect(lost.get('Nutrition')).toBe(0);
  });

  it('refuses what the service does not offer together: hours of keywords, budget losses of ad groups', async () => {
    const sandbox = await freshSandbox();
    for (const query of [
      `SELECT segments.hour, metrics.clicks FROM keyword_view WHERE ${WEEK}`,
      `SELECT ad_group.id, metrics.search_budget_lost_impression_share FROM ad_group WHERE ${WEEK}`,
      'SELECT conversion_action.name, metrics.clicks FROM conversion_action',
    ]) {
      expect((await search(sandbox, EUR, query)).status, query).toBe(400);
    }
  });
});

describe('other resources', () => {
  it('recommend larger budgets where impressions are lost', async () => {
    const sandbox = await freshSandbox();
    const rows = await rowsOf(
      sandbox,
      USD,
      'SELECT campaign.name, recommendation.type, recommendation.campaign_budget_recommendation FROM recommendation',
    );
    expect(rows).toMatchObject([
      {
        campaign: { name: 'Trail Running Shoes' },
        recommendation: {
          type: 'CAMPAIGN_BUDGET',
          campaignBudgetRecommendation: { currentBudgetAmountMicros: '90000000' },
        },
      },
    ]);
    const [{ recommendation }] = rows as [{ recommendation: { campaignBudgetRecommendation: Record<string, string> } }];
    expect(Number(recommendation.campaignBudgetRecommendation.recommendedBudgetAmountMicros)).toBeGreaterThan(1e8);
  });

  it('Performance Max has asset groups and no keywords; other channels have their own names', async () => {
    const sandbox = await freshSandbox();
    const groups = await rowsOf(
      sandbox,
      USD,
      `SELECT asset_group.name, campaign.advertising_channel_type, campaign.bidding_strategy_type, metrics.clicks
        FROM asset_group WHERE ${WEEK}`,
    );
    expect(groups.map(({ assetGroup }: { assetGroup: { name: string } }) => assetGroup.name)).toEqual([
      'Shoes',
      'Packs',
      'Apparel',
    ]);
    expect(groups[0].campaign).toMatchObject({
      advertisingChannelType: 'PERFORMANCE_MAX',
      biddingStrategyType: 'MAXIMIZE_CONVERSION_VALUE',
    });
    const keywords = await rowsOf(
      sandbox,
      USD,
      'SELECT campaign.id FROM keyword_view WHERE campaign.advertising_channel_type != SEARCH',
    );
    expect(keywords).toEqual([]);
  });

  it('conversion actions say which count as conversions', async () => {
    const sandbox = await freshSandbox();
    const rows = await rowsOf(
      sandbox,
      EUR,
      'SELECT conversion_action.name, conversion_action.include_in_conversions_metric FROM conversion_action',
    );
    expect(rows).toMatchObject([
      { conversionAction: { name: 'Purchase', includeInConversionsMetric: true } },
      { conversionAction: { name: 'Call from ad', includeInConversionsMetric: false } },
    ]);
  });
});
