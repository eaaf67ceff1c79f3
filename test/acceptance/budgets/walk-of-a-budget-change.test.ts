import { describe, expect, it } from 'vitest';
import { detailWords, endState, wasMade } from '../../../src/views/report/decision-words.ts';
import { byEngine } from '../../support/state.ts';
import { TRIM_QUERIES, TRIMMED } from '../../support/trim-rule.ts';
import { createWorld, type World } from '../../support/world.ts';

const { customerId: EUR, budgetId: BUDGET } = TRIMMED;

const mutates = (world: World) => world.sandbox.requests.filter(({ kind }) => kind === 'mutate');
const sends = (world: World) => mutates(world).filter(({ validateOnly }) => !validateOnly);
const intents = (world: World) => world.rows('state', 'SELECT * FROM budget_intent ORDER BY id');
/** The one campaign is enough, and quick to read. */
const oneCampaign = { 'keyword_stats.sql': TRIM_QUERIES['stats.sql'] };
const everyCampaign = {
  'keyword_stats.sql': `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
    FROM campaign WHERE segments.date DURING LAST_7_DAYS`,
};
const onlyTrim = {
  'trim-expensive-clicks.yaml': `description: Cut the budget of one campaign whose clicks have become expensive.
from: keyword_stats
for: campaign
over: 7 days
when: clicks >= 30 AND cost / clicks > 2.50 AND campaign_name = 'Generisch - Wanderschuhe'
currency: EUR
change: decrease budget by 15%
limits: { floor: 5, ceiling: 200, step: 20% }
mode: apply
`,
};

describe('the walk of a budget change', () => {
  it('P4, P5, B1, B2, B3, B4, B5, C1, C2, C3: turns complete days into one changed budget, one record with its reason and one alert', async () => {
    const world = await createWorld({ rules: onlyTrim, queries: oneCampaign });
    const result = await world.report();

    expect(result.run.exitCode).toBe(0);
    expect(mutates(world).map(({ validateOnly, body }) => [validateOnly, JSON.parse(body)])).toEqual(
      [true, false].map((validateOnly) => [
        validateOnly,
        {
          operations: [
            {
              updateMask: 'amount_micros',
              update: { resourceName: `customers/${EUR}/campaignBudgets/${BUDGET}`, amountMicros: '51000000' },
            },
          ],
          partialFailure: true,
          validateOnly,
        },
      ]),
    );
    expect(world.sandbox.budgetAmount(EUR, BUDGET)).toBe(51_000_000n);
    expect(world.rows('warehouse', 'SELECT * FROM budget_change')).toEqual([
      expect.objectContaining({
        customer_id: Number(EUR),
        budget_id: Number(BUDGET),
        from_micros: 60_000_000,
        to_micros: 51_000_000,
        rule: 'trim-expensive-clicks',
        reason: expect.stringMatching(
          /^clicks \(\d+\) >= 30 AND cost \/ clicks \(3\.\d+\) > 2\.50 .*60\.00 EUR to 51\.00 EUR$/,
        ),
        changed_at: byEngine({ sqlite: '2026-11-20 12:00:00.000', postgres: '2026-11-20 12:00:00' }),
      }),
    ]);
    expect(world.sandbox.messages().map(({ body }) => body)).toEqual([
      expect.stringContaining(
        'Budget changed: Generisch - Wanderschuhe (campaign 17204104729)\n60.00 EUR to 51.00 EUR (-15%)\n',
      ),
    ]);
  });

  it('changes a budget at most once per account day, also by another rule file', async () => {
    const world = await createWorld({ rules: onlyTrim, queries: oneCampaign });
    await world.report();
    const again = await world.report();
    expect(again.decisions.map((one) => [endState(one), detailWords(one)])).toEqual([
      ['refused', `Budget ${BUDGET} already had its daily change.`],
    ]);
    expect(again.run.exitCode).toBe(0);
    expect(sends(world)).toHaveLength(1);
    expect(world.sandbox.messages()).toHaveLength(1);
  });

  it('may change it again on the next account day, which begins at midnight in the account time zone', async () => {
    const world = await createWorld({ rules: onlyTrim, queries: oneCampaign });
    await world.report();
    // 22:30 UTC is still the 20th in London and already 23:30 in Berlin; 23:30 UTC is the 21st in Berlin.
    world.clock.set('2026-11-20T22:30:00Z');
    await world.report();
    expect(sends(world)).toHaveLength(1);
    world.clock.set('2026-11-20T23:30:00Z');
    await world.report();
    expect(sends(world)).toHaveLength(2);
    expect(world.sandbox.budgetAmount(EUR, BUDGET)).toBe(43_350_000n);
  });

  it('writes no intent and sends no change and no message in a dry run', async () => {
    const world = await createWorld({ rules: onlyTrim, queries: oneCampaign });
    const result = await world.report({ dryRun: true });
    expect(result.decisions.map(endState)).toEqual(['proposed']);
    expect(intents(world)).toEqual([]);
    expect(mutates(world)).toEqual([]);
    expect(world.sandbox.messages()).toEqual([]);
    expect(world.rows('warehouse', 'SELECT count(*) > 0 AS read FROM keyword_stats')).toEqual([{ read: 1 }]);
  });

  it('only suggests on a live target by default', async () => {
    const world = await createWorld({ config: '', rules: onlyTrim, queries: oneCampaign });
    const result = await world.report();
    expect(result.decisions.map(endState)).toEqual(['proposed']);
    expect(mutates(world)).toEqual([]);
  });

  it('makes one decision for a budget that two campaigns share, and names the winner', async () => {
    const rules = { 'all.yaml': onlyTrim['trim-expensive-clicks.yaml'].replace(/when: .*/, 'when: clicks >= 1') };
    const world = await createWorld({ rules, queries: everyCampaign });
    const result = await world.report();
    const losers = result.decisions.filter(({ code }) => code === 'DECIDED_BY_OTHER');
    expect(losers.length).toBeGreaterThan(0);
    for (const loser of losers) {
      const { budgetId } = loser;
      const winner = result.decisions.find((other) => other.budgetId === budgetId && wasMade(other));
      expect(detailWords(loser)).toBe(
        `The rule all already decided on budget ${budgetId} for ${winner?.subject}. Decreases go first, then rules by file name.`,
      );
    }
    const budgets = sends(world).map(({ body }) => JSON.parse(body).operations[0].update.resourceName);
    expect(new Set(budgets).size).toBe(budgets.length);
  });

  it('ignores days that are not complete, and names the missing days', async () => {
    const world = await createWorld({ rules: onlyTrim, queries: oneCampaign });
    world.fault = ({ kind, query }) =>
      kind === 'stream' && query?.includes('keyword_view') ? { kind: 'status', status: 403 } : undefined;
    const result = await world.report();
    expect(mutates(world)).toEqual([]);
    expect(result.rules.find(({ customerId }) => customerId === EUR)?.notEvaluated).toBe(
      'keyword_stats has no complete data for 2026-11-13 and 6 more days',
    );
  });
});
