import { describe, expect, it } from 'vitest';
import { addTable, publish, stateFile } from '../published.ts';

const STATS = `SELECT campaign.id, campaign.name, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date
  FROM campaign`;
const row = (date: string, campaign: number, impressions: number, clicks: number, micros: number | bigint) => ({
  date,
  campaign_id: campaign,
  campaign_name: `Campaign ${campaign}`,
  impressions,
  clicks,
  cost_micros: micros,
});

describe('sums per day, week and month', () => {
  it('are per account and campaign, with weeks from Monday and the number of days with rows', async () => {
    const state = await stateFile();
    addTable(state, 'stats', STATS, [
      row('2026-11-01', 7, 100, 10, 1_000_000),
      row('2026-11-02', 7, 100, 10, 3_000_000),
      row('2026-11-02', 8, 50, 1, 1_000_000),
      row('2026-11-08', 7, 100, 5, 2_000_000),
    ]);
    const { rows, raw } = await publish(state);
    const columns = 'campaign_id, campaign_name, days_with_rows, impressions, clicks, cost_micros, cost, currency';
    expect(raw(`SELECT week, ${columns} FROM stats_by_week`)).toEqual([
      ['2026-10-26', 7, 'Campaign 7', 1, 100, 10, 1_000_000, 1, 'EUR'],
      ['2026-11-02', 7, 'Campaign 7', 2, 200, 15, 5_000_000, 5, 'EUR'],
      ['2026-11-02', 8, 'Campaign 8', 1, 50, 1, 1_000_000, 1, 'EUR'],
    ]);
    expect(rows('SELECT month, campaign_id, ctr, average_cpc, share_of_spend FROM stats_by_month')).toEqual([
      { month: '2026-11-01', campaign_id: 7, ctr: 25 / 300, average_cpc: 6 / 25, share_of_spend: 6 / 7 },
      { month: '2026-11-01', campaign_id: 8, ctr: 1 / 50, average_cpc: 1, share_of_spend: 1 / 7 },
    ]);
    expect(rows('SELECT date, sum(share_of_spend) AS all_of_it FROM stats_by_day GROUP BY date')).toEqual([
      { date: '2026-11-01', all_of_it: 1 },
      { date: '2026-11-02', all_of_it: 1 },
      { date: '2026-11-08', all_of_it: 1 },
    ]);
  });

  it('have results where the query selects them: unknown, not zero, where nothing divides', async () => {
    const state = await stateFile();
    const results = (
      date: string,
      campaign: number,
      conversions: number | null,
      share: number | null,
      lost: number | null,
    ) => ({
      ...row(date, campaign, 100, 10, 30_000_000),
      conversions,
      conversions_value: conversions === null ? null : conversions * 40,
      search_impression_share: share,
      search_budget_lost_impression_share: lost,
    });
    const metrics =
      'metrics.conversions, metrics.conversions_value, metrics.search_impression_share, metrics.search_budget_lost_impression_share';
    addTable(state, 'results', STATS.replace('segments.date', `${metrics}, segments.date`), [
      results('2026-11-02', 7, 1.5, 0.5, 0.2),
      results('2026-11-03', 7, 0, 0.25, 0.5),
      results('2026-11-02', 8, 0, 0.5, 0),
      results('2026-11-03', 8, 0, 0.0999, 0),
      results('2026-11-02', 9, null, null, null),
    ]);
    const { rows, raw } = await publish(state);
    const columns =
      'campaign_id, conversions, conversions_value, cpa, roas, search_impression_share, search_budget_lost_impression_share';
    expect(raw(`SELECT ${columns} FROM results_by_month`)).toEqual([
      [7, 1.5, 60, 40, 1, 200 / 600, 240 / 600],
      [8, 0, 0, null, 0, null, null],
      [9, null, null, null, null, null, null],
    ]);
    const day = 'SELECT cpa, roas FROM results_by_day WHERE campaign_id = 7 ORDER BY date';
    expect(rows(day)).toEqual([
      { cpa: 20, roas: 2 },
      { cpa: null, roas: 0 },
    ]);
  });

  it('do not divide by zero', async () => {
    const state = await stateFile();
    addTable(state, 'stats', STATS, [row('2026-11-01', 7, 0, 0, 0)]);
    const { rows } = await publish(state);
    expect(rows('SELECT clicks, ctr, average_cpc, share_of_spend FROM stats_by_day')).toEqual([
      { clicks: 0, ctr: null, average_cpc: null, share_of_spend: null },
    ]);
  });

  it('are exact up to the ends of int64, and NULL beyond, with the amount for display', async () => {
    const state = await stateFile();
    const most = 2n ** 63n - 1n;
    addTable(state, 'stats', STATS, [
      row('2026-11-02', 7, 1, 1, most - 1n),
      row('2026-11-03', 7, 1, 1, 1),
      row('2026-11-09', 7, 1, 1, most),
      row('2026-11-10', 7, 1, 1, most),
    ]);
    const { exact } = await publish(state);
    expect(exact('SELECT week, cost_micros, cost FROM stats_by_week')).toEqual([
      ['2026-11-02', most, Number(most) / 1e6],
      ['2026-11-09', null, (2 * Number(most)) / 1e6],
    ]);
  });

  it('are the same if rows are stored by ad group', async () => {
    const state = await stateFile();
    const words = `SELECT campaign.id, ad_group.id, ad_group_criterion.criterion_id, metrics.clicks, segments.date FROM keyword_view`;
    const keyless = 'SELECT campaign.id, ad_group.name, metrics.clicks, segments.date FROM keyword_view';
    const data = [1, 2, 3, 4, 5, 6].map((index) => ({
      date: '2026-11-02',
      campaign_id: 1 + (index % 2),
      clicks: index,
    }));
    addTable(
      state,
      'words',
      words,
      data.map((one, index) => ({ ...one, ad_group_id: one.campaign_id, ad_group_criterion_criterion_id: index })),
    );
    addTable(state, 'keyless', keyless, data);
    const { rows } = await publish(state);
    const expected = [
      { campaign_id: 1, clicks: 12 },
      { campaign_id: 2, clicks: 9 },
    ];
    expect(rows('SELECT campaign_id, clicks FROM words_by_day')).toEqual(expected);
    expect(rows('SELECT campaign_id, clicks FROM keyless_by_day')).toEqual(expected);
  });

  it('are NULL if a sum is only partly known', async () => {
    const state = await stateFile();
    addTable(state, 'stats', STATS, [
      { ...row('2026-11-02', 7, 1, 1, 1), clicks: null },
      row('2026-11-03', 7, 1, 1, 1),
    ]);
    const { rows } = await publish(state);
    expect(rows('SELECT impressions, clicks, ctr FROM stats_by_week')).toEqual([
      { impressions: 2, clicks: null, ctr: null },
    ]);
  });

  it('have typed columns for each metric of the query', async () => {
    const state = await stateFile();
    addTable(state, 'few', 'SELECT campaign.id, metrics.clicks, segments.date FROM campaign', []);
    addTable(state, 'none', 'SELECT campaign.id, metrics.clicks FROM campaign', []);
    const { rows } = await publish(state);
    expect(rows("SELECT name, type FROM pragma_table_info('few_by_week')")).toEqual([
      { name: 'customer_id', type: 'INTEGER' },
      { name: 'week', type: 'DATE' },
      { name: 'campaign_id', type: 'INTEGER' },
      { name: 'campaign_name', type: 'TEXT' },
      { name: 'days', type: 'INTEGER' },
      { name: 'days_complete', type: 'INTEGER' },
      { name: 'complete', type: 'BOOLEAN' },
      { name: 'days_with_rows', type: 'INTEGER' },
      { name: 'clicks', type: 'INTEGER' },
    ]);
    expect(rows("SELECT name FROM sqlite_schema WHERE name LIKE 'none_by_%'")).toEqual([]);
  });
});
