import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { type BudgetSources, budgetBooks } from '../../../src/dashboard/report/page-budgets.ts';
import { budgetId, campaignId, customerId } from '../../../src/domain/ids.ts';
import type { Intent } from '../../../src/storage/records/budgets/intent-table.ts';
import type { PublishedBudget } from '../../../src/storage/warehouse/publish/published-data.ts';
import { someIntent } from '../../support/state.ts';

const CUSTOMER = customerId('1234567890');
const BUDGET = budgetId('201');
const TRAIL = campaignId('21');
const ROAD = campaignId('22');
const EUROS = 1_000_000n;

function row(table: string, budget: string, euros: bigint, more: Partial<PublishedBudget> = {}): PublishedBudget {
  const about = { customerId: CUSTOMER, budgetId: budgetId(budget), amountMicros: euros * EUROS, table };
  return { ...about, campaignId: undefined, isListing: table === 'budget', campaigns: undefined, ...more };
}

const read = (at: string, runId: bigint) => new Map([[CUSTOMER, { at, runId }]]);

function books(sources: Partial<BudgetSources>) {
  const settings = settingsFrom('/nowhere', {}, {}, '');
  const readings = new Map([
    ['old', read('2026-11-01T05:00:00Z', 1n)],
    ['campaign', read('2026-11-20T05:00:00Z', 9n)],
    ['budget', read('2026-11-20T05:00:01Z', 9n)],
  ]);
  return budgetBooks({ listed: [], readings, settings, changed: [], links: [], ...sources });
}

const made = (updatedAt: string, euros: bigint, budget = '201'): Intent =>
  ({ ...someIntent(), id: 1n, budgetId: budget, to: euros * EUROS, updatedAt, state: 'applied' }) as unknown as Intent;

describe('the budgets of the report', () => {
  it('come from the newest reading: budgets of an old query’s table are gone', () => {
    const known = books({ listed: [row('budget', '201', 40n), row('old', '201', 10n), row('old', '202', 99n)] });
    expect(known.ofAccount(CUSTOMER)).toEqual({ dailyMicros: 40n * EUROS, source: 'the table budget', count: 1 });
  });

  it('include changes after the reading, and no earlier ones', () => {
    const listed = [row('budget', '201', 40n), row('budget', '202', 20n)];
    const changed = [made('2026-11-19T05:00:00Z', 1n), made('2026-11-20T06:00:00Z', 30n, '202')];
    expect(books({ listed, changed }).ofAccount(CUSTOMER)?.dailyMicros).toBe(70n * EUROS);
  });

  it('count as possibly shared if only a decision names the campaign', () => {
    const known = books({ listed: [row('budget', '201', 40n)], links: [someIntent()] });
    expect(known.ofCampaign(CUSTOMER, TRAIL)).toMatchObject({ dailyMicros: 40n * EUROS, count: 1, isPartial: true });
    expect(known.campaignsOf(CUSTOMER, BUDGET)).toEqual([]);
  });

  it.each<[sentence: string, listed: PublishedBudget[], count: number, campaigns: string[]]>([
    ['a budget with one campaign', [row('budget', '201', 40n, { campaigns: 1n })], 1, [TRAIL]],
    ['a budget with three campaigns, one of them known', [row('budget', '201', 40n, { campaigns: 3n })], 3, []],
    [
      'a budget with two campaigns in a table',
      [row('campaign', '201', 40n, { campaignId: TRAIL }), row('campaign', '201', 40n, { campaignId: ROAD })],
      2,
      [TRAIL, ROAD],
    ],
  ])('show how many campaigns share %s', (_sentence, listed, count, campaigns) => {
    const known = books({ listed, links: [someIntent()] });
    expect(known.ofCampaign(CUSTOMER, TRAIL)?.count).toBe(count);
    expect(known.campaignsOf(CUSTOMER, BUDGET)).toEqual(campaigns);
  });
});
