import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { byEffort } from '../../support/effort.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { EUR, freshSandbox, JPY, rowsOf, search, USD } from '../sandbox-client.ts';

const SEEDS = byEffort({ quick: [1], thorough: [1, 2, 3, 4, 5] });

/** Leap days, the days clocks change in Berlin and Los Angeles, turns of years, and days of no distinction. */
const INSTANTS = [
  '2024-02-29T09:00:00Z',
  '2024-03-01T00:30:00Z',
  '2025-03-09T10:30:00Z',
  '2025-03-30T01:30:00Z',
  '2025-10-26T00:30:00Z',
  '2025-11-02T09:30:00Z',
  '2025-12-31T23:30:00Z',
  '2026-01-01T08:30:00Z',
  '2026-03-29T12:00:00Z',
  '2026-07-15T15:00:00Z',
  '2026-11-20T12:00:00Z',
  '2028-02-29T22:00:00Z',
];

interface Week {
  readonly name: string;
  readonly clicks: number;
  readonly cost: number;
  readonly budget: number;
  readonly own: boolean;
}

/** The last seven complete days of each campaign, money in currency units. */
async function lastWeek(sandbox: Sandbox, customer: string): Promise<Week[]> {
  const rows = await rowsOf(
    sandbox,
    customer,
    'SELECT campaign.name, campaign_budget.amount_micros, campaign_budget.explicitly_shared, metrics.clicks, metrics.cost_micros FROM campaign WHERE segments.date DURING LAST_7_DAYS',
  );
  return rows.map(({ campaign, campaignBudget, metrics }) => ({
    name: campaign.name,
    clicks: Number(metrics.clicks),
    cost: Number(metrics.costMicros) / 1e6,
    budget: Number(campaignBudget.amountMicros) / 1e6,
    own: !campaignBudget.explicitlyShared,
  }));
}

describe.each(SEEDS)('the market of seed %i', (seed) => {
  it('has two EUR campaigns with expensive clicks on every date, and a majority without', async () => {
    const clock = fakeClock('2026-11-20T12:00:00Z');
    const sandbox = await freshSandbox({ seed, clock });
    for (const instant of INSTANTS) {
      clock.set(instant);
      const week = await lastWeek(sandbox, EUR);
      const dear = week.filter(({ clicks, cost, own }) => own && clicks >= 30 && cost / clicks > 2.5);
      expect(dear.length, instant).toBeGreaterThanOrEqual(2);
      for (const { budget } of dear) {
        expect(budget).toBeGreaterThan(30);
        expect(budget).toBeLessThan(200);
      }
      const cheap = week.filter(({ clicks, cost }) => clicks > 0 && cost / clicks < 1.5);
      expect(cheap.length, instant).toBeGreaterThan(week.length / 2);
    }
  });

  it('has a USD campaign limited by its budget on every date, and others far below theirs', async () => {
    const clock = fakeClock('2026-11-20T12:00:00Z');
    const sandbox = await freshSandbox({ seed, clock });
    for (const instant of INSTANTS) {
      clock.set(instant);
      const week = await lastWeek(sandbox, USD);
      const limited = week.filter(({ cost, budget }) => cost >= 0.7 * 7 * budget);
      expect(
        limited.map(({ name }) => name),
        instant,
      ).toEqual(['Trail Running Shoes']);
      for (const { clicks, cost, budget, own } of limited) {
        expect(own).toBe(true);
        expect(cost).toBeGreaterThanOrEqual(0.9 * 7 * budget);
        expect(cost).toBeLessThanOrEqual(1.1 * 7 * budget);
        expect(cost / clicks).toBeLessThan(1);
        expect(budget).toBeLessThanOrEqual(150);
      }
    }
  });
});

const DAYS = "segments.date BETWEEN '2026-09-01' AND '2026-09-03'";
const KEYWORDS = `SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.keyword.text, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date FROM keyword_view WHERE ${DAYS}`;

/** The answer's text without its request id, which differs on purpose. */
async function keywordDays(seed: number, instant: string): Promise<string> {
  const sandbox = await freshSandbox({ seed, clock: fakeClock(instant) });
  return (await search(sandbox, EUR, KEYWORDS)).text.replace(/"requestId":"[^"]*"/g, '');
}

describe('rows', () => {
  it('are the same bytes for a seed and day at any time, and differ between seeds', async () => {
    const [early, late, other] = await Promise.all([
      keywordDays(1, '2026-09-04T00:00:00Z'),
      keywordDays(1, '2026-11-20T12:00:00Z'),
      keywordDays(2, '2026-11-20T12:00:00Z'),
    ]);
    expect(early.length).toBeGreaterThan(100_000);
    expect(late).toBe(early);
    expect(other).not.toBe(early);
  });

  it('have clicks within impressions and costs in whole smallest units', async () => {
    const sandbox = await freshSandbox();
    for (const [customer, unit] of [
      [EUR, 10_000],
      [JPY, 1_000_000],
    ] as const) {
      for (const { metrics } of await rowsOf(sandbox, customer, KEYWORDS)) {
        expect(Number(metrics.clicks)).toBeLessThanOrEqual(Number(metrics.impressions));
        expect(Number(metrics.costMicros) % unit).toBe(0);
        expect(metrics.costMicros === '0').toBe(metrics.clicks === '0');
      }
    }
  });

  it('cover 90 days before today until today, no more', async () => {
    const sandbox = await freshSandbox();
    const rows = await rowsOf(
      sandbox,
      EUR,
      "SELECT segments.date, metrics.clicks FROM customer WHERE segments.date BETWEEN '2026-01-01' AND '2027-01-01'",
    );
    expect(rows).toHaveLength(91);
    expect([rows.at(0), rows.at(-1)]).toMatchObject([
      { segments: { date: '2026-08-22' } },
      { segments: { date: '2026-11-20' } },
    ]);
  });

  it('of today grow during the day and end at the complete day', async () => {
    const clock = fakeClock('2026-11-19T23:30:00Z');
    const sandbox = await freshSandbox({ clock });
    const query = "SELECT segments.date, metrics.impressions FROM customer WHERE segments.date = '2026-11-20'";
    const impressions: number[] = [];
    for (const instant of [
      '2026-11-20T05:00:00Z',
      '2026-11-20T12:00:00Z',
      '2026-11-20T22:59:00Z',
      '2026-11-21T12:00:00Z',
    ]) {
      clock.set(instant);
      const [row] = await rowsOf(sandbox, EUR, query);
      impressions.push(Number(row.metrics.impressions));
    }
    expect(impressions).toEqual([...impressions].sort((a, b) => a - b));
    expect(new Set(impressions).size).toBe(4);
  });

  it('no campaign spends more than twice its part of the budget in a day', async () => {
    const sandbox = await freshSandbox();
    for (const { customerId } of sandbox.market.accounts) {
      const rows = await rowsOf(
        sandbox,
        customerId,
        'SELECT campaign.id, campaign_budget.amount_micros, segments.date, metrics.cost_micros FROM campaign WHERE segments.date DURING LAST_30_DAYS',
      );
      for (const { metrics, campaignBudget } of rows) {
        expect(Number(metrics.costMicros)).toBeLessThan(1.1 * Number(campaignBudget.amountMicros));
      }
    }
  });
});

describe('the accounts', () => {
  it('are four, with currencies and time zones of their own, and budgets as described', async () => {
    const { market } = await freshSandbox({ seed: 3 });
    expect(market).toMatchObject({ identity: 'seed 3', simulatedCost: true });
    expect(market.accounts.map(({ currency, timeZone }) => `${currency} ${timeZone}`)).toEqual([
      'EUR Europe/Berlin',
      'USD America/Los_Angeles',
      'GBP Europe/London',
      'JPY Asia/Tokyo',
    ]);
    const ids = market.accounts.flatMap(({ customerId, budgets }) => [
      customerId,
      ...budgets.flatMap(({ budgetId, campaignIds }) => [budgetId, ...campaignIds]),
    ]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { customerId, budgets } of market.accounts) {
      expect(customerId).toMatch(/^\d{10}$/);
      const shared = budgets.filter(({ campaignIds }) => campaignIds.length > 1);
      expect(shared.map(({ campaignIds }) => campaignIds.length)).toEqual([3]);
    }
  });

  it('have some 3,000 keywords, unique within their ad groups; some criterion ids repeat across ad groups', async () => {
    const sandbox = await freshSandbox();
    const rows = (
      await Promise.all(
        sandbox.market.accounts.map(({ customerId }) =>
          rowsOf(
            sandbox,
            customerId,
            'SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.status FROM keyword_view',
          ),
        ),
      )
    ).flat();
    expect(rows.length).toBeGreaterThan(3_000);
    const names = rows.map(({ keywordView }) => keywordView.resourceName);
    expect(new Set(names).size).toBe(rows.length);
    const criteria = new Set(rows.map(({ adGroupCriterion }) => adGroupCriterion.criterionId));
    expect(criteria.size).toBeLessThan(rows.length);
    const paused = rows.filter(({ adGroupCriterion }) => adGroupCriterion.status === 'PAUSED').length;
    expect(paused).toBeGreaterThan(50);
    expect(paused).toBeLessThan(rows.length / 5);
  });

  it('give 40,000 to 120,000 keyword rows for the last 30 days', async () => {
    const sandbox = await freshSandbox();
    let rows = 0;
    for (const { customerId } of sandbox.market.accounts) {
      const query =
        'SELECT ad_group_criterion.criterion_id, metrics.impressions, metrics.clicks, segments.date FROM keyword_view WHERE segments.date DURING LAST_30_DAYS';
      rows += (await rowsOf(sandbox, customerId, query)).length;
    }
    expect(rows).toBeGreaterThan(40_000);
    expect(rows).toBeLessThan(120_000);
  });
});
