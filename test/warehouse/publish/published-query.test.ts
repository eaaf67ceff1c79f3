import { describe, expect, it } from 'vitest';
import { addTable, publish, stateFile } from '../published.ts';

const BY_DAY = 'SELECT campaign.id, metrics.clicks, metrics.cost_micros, segments.date FROM campaign';

describe('the published table of a query', () => {
  it('declares column types for BI tools, keeps the key, and hides internal columns', async () => {
    const state = await stateFile();
    addTable(state, 'stats', BY_DAY, [{ campaign_id: 7, clicks: 3, cost_micros: 1_234_567, date: '2026-11-19' }]);
    const { rows, sqlOf } = await publish(state);
    expect(sqlOf('stats')).toBe(
      'CREATE TABLE "stats" ("customer_id" INTEGER NOT NULL, "campaign_id" INTEGER NOT NULL, "clicks" INTEGER, ' +
        '"cost_micros" INTEGER, "cost" DECIMAL(18,6), "date" DATE NOT NULL, "currency" TEXT, ' +
        'PRIMARY KEY ("customer_id", "date", "campaign_id"), FOREIGN KEY (customer_id) REFERENCES account (customer_id), ' +
        'FOREIGN KEY (date) REFERENCES dim_calendar (date)) WITHOUT ROWID',
    );
    expect(rows('SELECT * FROM stats')).toEqual([
      {
        customer_id: 4081725530,
        campaign_id: 7,
        clicks: 3,
        cost_micros: 1234567,
        cost: 1.234567,
        date: '2026-11-19',
        currency: 'EUR',
      },
    ]);
  });

  it('has NULL again for a segment the service left out, and then declares no key', async () => {
    const state = await stateFile();
    addTable(state, 'devices', 'SELECT campaign.id, segments.device, metrics.clicks FROM campaign', [
      { campaign_id: 7, device: '', clicks: 1 },
      { campaign_id: 7, device: 'MOBILE', clicks: 2 },
    ]);
    const { rows, sqlOf } = await publish(state);
    expect(rows('SELECT device, clicks FROM devices ORDER BY clicks')).toEqual([
      { device: null, clicks: 1 },
      { device: 'MOBILE', clicks: 2 },
    ]);
    expect(sqlOf('devices')).not.toContain('PRIMARY KEY');
  });

  it('keeps indistinguishable rows, as often as they came', async () => {
    const state = await stateFile();
    const row = { campaign_name: 'Boots', clicks: 1 };
    addTable(state, 'names', 'SELECT campaign.name, metrics.clicks FROM campaign', [row, row]);
    const { rows } = await publish(state);
    expect(rows('SELECT campaign_name, clicks FROM names')).toEqual([row, row]);
  });

  it('has no currency without an amount, and uses a currency that the query selects', async () => {
    const state = await stateFile();
    addTable(state, 'names', 'SELECT campaign.id, metrics.clicks FROM campaign', []);
    const own = 'SELECT campaign.id, customer.currency_code AS currency, metrics.cost_micros FROM campaign';
    addTable(state, 'own', own, [{ campaign_id: 7, currency: 'CHF', cost_micros: 1 }]);
    const { rows } = await publish(state);
    expect(rows("SELECT name FROM pragma_table_info('names')").map(({ name }) => name)).not.toContain('currency');
    expect(rows('SELECT currency FROM own')).toEqual([{ currency: 'CHF' }]);
  });

  it('reads a day of all accounts without a full scan, and a campaign through few sums', async () => {
    const state = await stateFile();
    const rowOf = (customer: number, index: number) => ({
      customer_id: customer,
      campaign_id: index % 50,
      clicks: 1,
      cost_micros: 1,
      date: `2026-${String(1 + Math.floor(index / 50 / 28)).padStart(2, '0')}-${String(1 + (Math.floor(index / 50) % 28)).padStart(2, '0')}`,
    });
    const many = [1, 2, 3].flatMap((customer) => Array.from({ length: 5000 }, (_, index) => rowOf(customer, index)));
    state.connection.exec('BEGIN');
    addTable(state, 'stats', BY_DAY, many);
    state.connection.exec('COMMIT');
    const { rows } = await publish(state);
    const plan = (where: string, table = 'stats') =>
      rows(`EXPLAIN QUERY PLAN SELECT sum(clicks) FROM ${table} WHERE ${where}`).map(({ detail }) => detail);
    expect(plan("date >= '2026-04-10'")).toEqual(['SEARCH stats USING PRIMARY KEY (ANY(customer_id) AND date>?)']);
    expect(plan("customer_id = 1 AND date >= '2026-04-10' AND campaign_id = 7", 'stats_by_day')).toEqual([
      'SEARCH stats_by_day USING PRIMARY KEY (customer_id=? AND date>?)',
    ]);
  });

  it('accepts any column names of a query', async () => {
    const state = await stateFile();
    const text = `SELECT campaign.id AS parts, campaign.name AS seen_on, campaign.status AS stored, ad_group.id AS period,
      ad_group.name AS campaign_id, metrics.clicks AS rowid, metrics.impressions AS campaign_name,
      metrics.cost_micros AS currency_micros, segments.date FROM ad_group`;
    const row = {
      parts: 7,
      seen_on: 'Boots',
      stored: 'ENABLED',
      period: 9,
      campaign_id: 'Group',
      rowid: 3,
      campaign_name: 5,
    };
    addTable(state, 'odd', text, [{ ...row, currency_micros: 2_000_000, date: '2026-11-19' }]);
    const { rows } = await publish(state);
    expect(rows('SELECT campaign_id, campaign_name, campaign_status FROM dim_campaign')).toEqual([
      { campaign_id: 7, campaign_name: 'Boots', campaign_status: 'ENABLED' },
    ]);
    expect(rows('SELECT ad_group_id, campaign_id, ad_group_name FROM dim_ad_group')).toEqual([
      { ad_group_id: 9, campaign_id: 7, ad_group_name: 'Group' },
    ]);
    expect(rows('SELECT campaign_id, campaign_name, impressions, clicks, cost, currency FROM odd_by_week')).toEqual([
      { campaign_id: 7, campaign_name: 'Boots', impressions: 5, clicks: 3, cost: 2, currency: 'EUR' },
    ]);
  });
});
