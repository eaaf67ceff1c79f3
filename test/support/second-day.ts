import { expect } from 'vitest';
import { TRIMMED } from './trim-rule.ts';
import { createWorld, NOON, type World } from './world.ts';

/** The account. */
export const EUR = TRIMMED.customerId;
export const QUERIES = {
  'stats.sql': `SELECT campaign.id, campaign.name, ad_group.id, ad_group_criterion.criterion_id, metrics.clicks,
    metrics.cost_micros, segments.date
    FROM keyword_view WHERE segments.date DURING LAST_7_DAYS AND campaign.name = '${TRIMMED.campaignName}'`,
};
export const YESTERDAY = '2026-11-19T12:00:00Z';
export const CONFIG = 'ads: { retry: { attempts: 1, first_delay_ms: 0 } }\n';

const TABLES = {
  rows: `SELECT customer_id, date, ad_group_id, ad_group_criterion_criterion_id, campaign_id, campaign_name, clicks,
    cost_micros FROM stats ORDER BY 1, 2, 3, 4`,
  days: 'SELECT query, query_text, customer_id, date, state, rows, totals FROM account_day ORDER BY 1, 3, 4',
  // The clock of a program goes on, so a slow machine reads some seconds later.
  readings: `SELECT query, customer_id, date, substr(read_at, 1, 15) AS read_at, days_after, rows, totals
    FROM day_reading ORDER BY 1, 2, 3, 4`,
  published: 'SELECT customer_id, date, ad_group_id, cost_micros FROM stats ORDER BY 1, 2, 3, 4',
};

/** All that two worlds which read the same have in common, in both files. */
export function tablesOf(world: World): Record<string, unknown> {
  const { published, ...state } = TABLES;
  const read = Object.entries(state).map(([name, sql]) => [name, world.rows('state', sql)] as const);
  return { ...Object.fromEntries(read), published: world.rows('warehouse', published) };
}

/** A world of one account that was read on the day before. */
export async function secondDay(): Promise<World> {
  const options = { config: CONFIG, queries: QUERIES, rules: {}, now: YESTERDAY };
  const world = await createWorld({ ...options, env: { ADS_CUSTOMER_IDS: EUR } });
  expect((await world.extract()).failures).toEqual([]);
  world.clock.set(NOON);
  return world;
}

export const isStream = ({ kind, query }: { readonly kind: string; readonly query?: string }) =>
  kind === 'stream' && query?.includes('keyword_view') === true;
