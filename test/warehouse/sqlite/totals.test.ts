import { describe, expect, it, vi } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import type { MemberDemand } from '../../../src/domain/member.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { aggregateMembers } from '../../../src/storage/warehouse/sqlite/members.ts';
import { accountTotals } from '../../../src/storage/warehouse/sqlite/totals.ts';
import { queryNamed } from '../../rules/rule-fixtures.ts';
import { ACCOUNT, addTable, stateFile } from '../published.ts';

const CUSTOMER = customerId(String(ACCOUNT));
const DAYS = { from: civilDate('2026-11-01'), to: civilDate('2026-11-30') };
const QUERY = `SELECT campaign.id, metrics.impressions, metrics.clicks, metrics.cost_micros, metrics.ctr, metrics.conversions,
  metrics.conversions_value, metrics.search_impression_share, metrics.search_budget_lost_impression_share, segments.date
  FROM campaign`;

const row = (date: string, campaign: number, changes: Record<string, number | null> = {}) => ({
  date,
  campaign_id: campaign,
  impressions: 100,
  clicks: 10,
  cost_micros: 20_000_000,
  ctr: 0.1,
  conversions: 2,
  conversions_value: 30,
  search_impression_share: 0.5,
  search_budget_lost_impression_share: 0.25,
  ...changes,
});

describe('the totals of a report', () => {
  const totals = async (...rows: ReturnType<typeof row>[]) => {
    const state = await stateFile();
    addTable(state, 'results', QUERY, rows);
    const query = queryNamed('results', `${QUERY} WHERE segments.date DURING LAST_30_DAYS`);
    const found = await accountTotals(state, query, [CUSTOMER], DAYS);
    const { metrics: sums = [], campaigns = [] } = found.get(CUSTOMER) ?? {};
    return {
      whole: Object.fromEntries(sums),
      campaigns: campaigns.map(({ campaignId, metrics }) => ({ campaignId, ...Object.fromEntries(metrics) })),
    };
  };

  it('add up what adds up, and divide sums for the rest', async () => {
    const lean = { search_impression_share: 0.25, search_budget_lost_impression_share: 0.5 };
    const { whole, campaigns } = await totals(row('2026-11-02', 7), row('2026-11-03', 7, lean), row('2026-11-02', 8));
    const sums = { impressions: 300n, clicks: 30n, cost_micros: 60_000_000n, conversions: 6, conversions_value: 90 };
    const shares = { search_impression_share: 300 / 800, search_budget_lost_impression_share: 300 / 800 };
    expect(whole).toEqual({ ...sums, cpa: 10, roas: 1.5, ...shares });
    expect(campaigns).toMatchObject([
      { campaignId: 7n, cpa: 10, search_impression_share: 200 / 600 },
      { campaignId: 8n, search_impression_share: 0.5, search_budget_lost_impression_share: 0.25 },
    ]);
  });

  it('are unknown, not zero, where nothing divides or a share is not exact', async () => {
    const { whole } = await totals(
      row('2026-11-02', 7, { conversions: 0, conversions_value: 0, cost_micros: 0 }),
      row('2026-11-03', 7, { conversions: 0, conversions_value: 0, cost_micros: 0, search_impression_share: 0.0999 }),
    );
    expect(whole).toMatchObject({ cpa: null, roas: null, search_impression_share: null, conversions: 0 });
  });

  it('of many accounts prepare each statement once, because each statement holds memory until it is collected', async () => {
    const state = await stateFile();
    addTable(state, 'results', QUERY, [row('2026-11-02', 7)]);
    const query = queryNamed('results', `${QUERY} WHERE segments.date DURING LAST_30_DAYS`);
    const prepare = vi.spyOn(state.connection, 'prepare');
    const demand: MemberDemand = {
      grain: 'campaign',
      ids: ['campaign_id'],
      stretches: [DAYS],
      metrics: [{ column: 'clicks', type: 'INT64' }],
      attributes: [],
    };
    const sumUpOne = async (id: string) => {
      await accountTotals(state, query, [customerId(id)], DAYS);
      for (const _ of aggregateMembers(state, 'results', customerId(id), demand));
    };
    await sumUpOne(CUSTOMER);
    const ofOneAccount = prepare.mock.calls.length;
    await sumUpOne('1000000001');
    expect(ofOneAccount).toBeGreaterThan(0);
    expect(prepare).toHaveBeenCalledTimes(ofOneAccount);
  });
});
