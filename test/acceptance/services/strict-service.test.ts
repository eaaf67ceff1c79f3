import { describe, expect, it } from 'vitest';
import { endState, wasMade } from '../../../src/views/report/decision-words.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { createWorld } from '../../support/world.ts';

/** The specification as written has keyword_view only: what an account and a budget are is declared in the settings. */
const DECLARED = `automation: { mode: apply }
accounts:
  408-172-5530: { currency: EUR, time_zone: Europe/Berlin }
budgets:
  4081725530:
    11087030970: { amount: 60, campaigns: [17204104729] }
`;
const QUERIES = {
  'keyword_stats.sql': `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
    FROM keyword_view WHERE segments.date DURING LAST_7_DAYS AND ad_group_criterion.status IN (ENABLED, PAUSED)`,
};
/** The account of which something is declared is enough. */
const ONE = { ADS_CUSTOMER_IDS: TRIMMED.customerId };
/** One rule that such a service can have, whatever else is shipped. */
const RULES = { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('from: stats', 'from: keyword_stats') };

describe('a service with only the specification’s features', () => {
  it('completes the main job from declared currency, time zone and budgets', async () => {
    const world = await createWorld({ strict: true, config: DECLARED, queries: QUERIES, rules: RULES, env: ONE });
    const result = await world.report();
    expect(result.failures).toEqual([]);
    expect(result.decisions.filter(wasMade)).toEqual([
      expect.objectContaining({ budgetId: '11087030970', from: 60_000_000n, to: 51_000_000n }),
    ]);
    expect(world.sandbox.budgetAmount('4081725530', '11087030970')).toBe(51_000_000n);
    expect(world.sandbox.messages()).toHaveLength(1);
  });

  it('needs no other query files than the shipped ones, and reports missing features once', async () => {
    const world = await createWorld({ strict: true, config: DECLARED, rules: RULES, env: ONE });
    const result = await world.report();
    expect(result.run.exitCode).toBe(0);
    const note = (query: string, resource: string) =>
      `The service does not offer the resource of ${query}. Its table is unchanged. Answer of the service: Unknown resource "${resource}". The sandbox has keyword_view.`;
    expect(result.notes).toEqual([
      note('campaign', 'campaign'),
      note('campaign_budget', 'campaign_budget'),
      note('campaign_spend', 'campaign'),
    ]);
    expect(world.sandbox.budgetAmount('4081725530', '11087030970')).toBe(51_000_000n);
  });

  it('continues from the amount it set, not from the declared one', async () => {
    const world = await createWorld({ strict: true, config: DECLARED, queries: QUERIES, rules: RULES, env: ONE });
    await world.report();
    world.clock.set('2026-11-21T12:00:00Z');
    const next = await world.report();
    expect(next.decisions.filter(wasMade)).toEqual([expect.objectContaining({ from: 51_000_000n, to: 43_350_000n })]);
  });

  it('sends the same absolute amount again after a lost answer, because it cannot read the budget back', async () => {
    const world = await createWorld({ strict: true, config: DECLARED, queries: QUERIES, rules: RULES, env: ONE });
    world.fault = ({ kind, validateOnly }) =>
      kind === 'mutate' && !validateOnly ? { kind: 'reset_after' } : undefined;
    const lost = await world.report();
    expect(lost.run.exitCode).toBe(1);
    world.fault = undefined;
    const next = await world.report();
    expect(next.run.exitCode).toBe(0);
    expect(next.settled.map((one) => [endState(one), one.to])).toEqual([['applied', 51_000_000n]]);
    expect(world.sandbox.budgetAmount('4081725530', '11087030970')).toBe(51_000_000n);
  });

  it('reads accounts with an unknown calendar, and leaves their budgets alone', async () => {
    const world = await createWorld({
      strict: true,
      config: 'automation: { mode: apply }',
      queries: QUERIES,
      rules: RULES,
    });
    const result = await world.report();
    expect(result.failures).toEqual([]);
    expect(result.slices.every(({ rows }) => rows > 0n)).toBe(true);
    expect(result.rules[0]?.notEvaluated).toMatch(/currency is unknown: set accounts\.\d+\.currency/);
  });
});
