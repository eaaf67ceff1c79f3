import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { byEffort } from '../../support/effort.ts';
import { onFiles } from '../../support/folder-store.ts';
import { TRIMMED } from '../../support/trim-rule.ts';
import { createWorld, type WorldOptions } from '../../support/world.ts';

/** One account is enough where nothing is said of several. */
const ONE = { customers: [customerId(TRIMMED.customerId)] };

/** The shipped query of one campaign: enough where nothing is said of how many rows there are. */
const FEW = {
  queries: {
    'keyword_stats.sql': `${readFileSync('queries/keyword_stats.sql', 'utf8').trimEnd()}
      AND campaign.name = '${TRIMMED.campaignName}'`,
  },
  rules: {},
};
const SIZE = byEffort<WorldOptions>({ quick: FEW, thorough: {} });
const SNAPSHOT = { 'campaign_budget.sql': readFileSync('queries/campaign_budget.sql', 'utf8') };

/** What the service itself says the window holds, asked without the product. */
async function totalsOfService(url: string, token: string, customer: string, window: string) {
  const response = await fetch(`${url}/v25/customers/${customer}/googleAds:searchStream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `SELECT ad_group_criterion.criterion_id, ad_group.id, segments.date, metrics.impressions, metrics.clicks,
        metrics.cost_micros FROM keyword_view WHERE segments.date ${window}`,
    }),
  });
  interface Row {
    readonly metrics: { readonly impressions: string; readonly clicks: string; readonly costMicros: string };
  }
  const batches = (await response.json()) as { readonly results?: readonly Row[] }[];
  const rows = batches.flatMap(({ results }) => results ?? []);
  const sum = (name: keyof Row['metrics']) =>
    Number(rows.reduce((total, row) => total + BigInt(row.metrics[name]), 0n));
  return { rows: rows.length, impressions: sum('impressions'), clicks: sum('clicks'), cost: sum('costMicros') };
}

describe('the path of a row', () => {
  it('P2, P3, P6, B13, B14: leads unaltered from a checked query file through the stream into both databases', async () => {
    const world = await createWorld();
    const customers = byEffort({
      quick: ONE.customers,
      thorough: world.sandbox.market.accounts.map((account) => customerId(account.customerId)),
    });
    const result = await world.report({ customers });

    expect(result.failures).toEqual([]);
    const { url, credentials } = world.sandbox;
    for (const customerId of customers) {
      const expected = await totalsOfService(url, credentials.accessToken, customerId, 'DURING LAST_30_DAYS');
      const sums = `SELECT count(*) AS rows, sum(impressions) AS impressions, sum(clicks) AS clicks,
        sum(cost_micros) AS cost FROM keyword_stats WHERE customer_id = ${customerId}`;
      expect(world.rows('state', sums)).toEqual([expected]);
      expect(world.rows('warehouse', sums)).toEqual([expected]);
      expect(expected.rows).toBeGreaterThan(10_000);
    }
  });

  it('gives the same rows after a second run on the same day', async () => {
    const world = await createWorld({ ...SIZE, config: '' });
    const all = 'SELECT * FROM keyword_stats ORDER BY customer_id, date, ad_group_id, ad_group_criterion_criterion_id';
    await world.report(ONE);
    const first = world.rows('state', all);
    await world.report(ONE);
    expect(world.rows('state', all)).toEqual(first);
  });

  it('keeps days that have left the window when the next day is read', async () => {
    const world = await createWorld({ ...SIZE, config: '' });
    await world.report(ONE);
    world.clock.set('2026-11-21T12:00:00Z');
    await world.report(ONE);
    const days = world.rows('warehouse', 'SELECT min(date) AS first, max(date) AS last FROM keyword_stats');
    expect(days).toEqual([{ first: '2026-10-21', last: '2026-11-20' }]);
  });

  it.runIf(onFiles)('ends in a published file with declared types, amounts beside micros, and no WAL', async () => {
    const world = await createWorld(FEW);
    await world.report(ONE);
    const types = world.rows('warehouse', "SELECT name, type FROM pragma_table_info('keyword_stats')");
    expect(types.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'customer_id INTEGER',
      'campaign_id INTEGER',
      'campaign_name TEXT',
      'campaign_advertising_channel_type TEXT',
      'ad_group_id INTEGER',
      'ad_group_name TEXT',
      'ad_group_status TEXT',
      'ad_group_criterion_criterion_id INTEGER',
      'ad_group_criterion_status TEXT',
      'ad_group_criterion_keyword_text TEXT',
      'ad_group_criterion_keyword_match_type TEXT',
      'impressions INTEGER',
      'clicks INTEGER',
      'cost_micros INTEGER',
      'cost DECIMAL(18,6)',
      'date DATE',
      'currency TEXT',
    ]);
    const wrong = 'SELECT count(*) AS wrong FROM keyword_stats WHERE abs(cost * 1000000 - cost_micros) > 0.5';
    expect(world.rows('warehouse', wrong)).toEqual([{ wrong: 0 }]);
    expect(world.rows('warehouse', 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'delete' }]);
    expect(world.rows('warehouse', 'SELECT target FROM as_of')).toEqual([{ target: `live (${world.sandbox.url})` }]);
  });

  it('gives the current rows for a snapshot query without days', async () => {
    const world = await createWorld({ queries: SNAPSHOT, rules: {} });
    await world.report();
    const budgets = world.rows('warehouse', 'SELECT count(*) AS budgets FROM campaign_budget');
    const held = world.sandbox.market.accounts.flatMap(({ budgets: own }) => own).length;
    expect(budgets).toEqual([{ budgets: held }]);
  });
});
