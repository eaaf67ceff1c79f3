import { describe, expect, it } from 'vitest';
import { byEngine } from '../../support/state.ts';
import { createWorld } from '../../support/world.ts';

const ACCOUNT = '4081725530';
const SPEND = `-- Spend of this month so far.
SELECT campaign.id, campaign.name AS campaign, metrics.cost_micros AS spent_micros, segments.date
FROM campaign
WHERE segments.date BETWEEN :month_start AND :yesterday
  AND campaign.name IN (:campaigns)
`;

const config = (campaigns: readonly string[]) =>
  `automation: { mode: apply }\nads: { customer_ids: ['${ACCOUNT}'] }\nparams:\n  campaigns: ${JSON.stringify(campaigns)}\n`;

describe('a query with parameters, calendar days and aliases', () => {
  it('is sent with values, and its aliases become the column names', async () => {
    const world = await createWorld({
      queries: { 'spend.sql': SPEND },
      rules: {},
      config: config(['Generisch - Wanderschuhe', "it's \\ not there"]),
    });
    const { failures } = await world.report();
    expect(failures).toEqual([]);
    const queries = world.sandbox.requests.flatMap(({ kind, query = '' }) => (kind === 'stream' ? [query] : []));
    expect(queries).toContain(
      "SELECT campaign.id, campaign.name, metrics.cost_micros, segments.date FROM campaign WHERE segments.date BETWEEN '2026-11-01' AND '2026-11-19' AND campaign.name IN ('Generisch - Wanderschuhe', 'it\\'s \\\\ not there')",
    );
    expect(
      world.rows('warehouse', 'SELECT campaign, min(date) AS first, max(date) AS last FROM spend GROUP BY campaign'),
    ).toEqual([{ campaign: 'Generisch - Wanderschuhe', first: '2026-11-01', last: '2026-11-19' }]);
    const wrong = byEngine({
      sqlite: 'spend WHERE spent * 1000000 <> spent_micros',
      postgres: 'spend_by_day WHERE cost * 1000000 <> cost_micros',
    });
    expect(world.rows('warehouse', `SELECT count(*) AS bad FROM ${wrong}`)).toEqual([{ bad: 0 }]);
  });

  it('sends no request on the first of the month, and keeps its rows', async () => {
    const world = await createWorld({
      now: '2026-11-30T12:00:00Z',
      queries: { 'spend.sql': SPEND },
      rules: {},
      config: config(['Generisch - Wanderschuhe']),
    });
    await world.report();
    const before = world.rows('warehouse', 'SELECT count(*) AS days FROM spend');
    expect(before).toEqual([{ days: 29 }]);
    world.clock.set('2026-12-01T12:00:00Z');
    const asked = world.sandbox.requests.length;
    const { failures, slices } = await world.report();
    expect([failures, slices]).toEqual([[], []]);
    const later = world.sandbox.requests.slice(asked);
    expect(later.filter(({ kind, query = '' }) => kind === 'stream' && query.includes('segments.date'))).toEqual([]);
    expect(world.log.join('\n')).toContain('no day to read yet');
    expect(world.rows('warehouse', 'SELECT count(*) AS days FROM spend')).toEqual(before);
  });

  it('empties its table on the first of the month if the table holds the month to date', async () => {
    const soFar =
      'SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.date BETWEEN :month_start AND :yesterday';
    const world = await createWorld({
      now: '2026-11-30T12:00:00Z',
      queries: { 'so_far.sql': soFar },
      rules: {},
      config: config([]),
    });
    await world.report();
    expect(world.rows('warehouse', 'SELECT count(*) > 0 AS some FROM so_far')).toEqual([{ some: 1 }]);
    world.clock.set('2026-12-01T12:00:00Z');
    expect((await world.report()).failures).toEqual([]);
    expect(world.rows('warehouse', 'SELECT count(*) AS rows FROM so_far')).toEqual([{ rows: 0 }]);
  });

  it('is refused before any request if a value is missing', async () => {
    const world = await createWorld({ queries: { 'spend.sql': SPEND }, rules: {} });
    await expect(world.report()).rejects.toThrow('1 file has errors. Nothing was sent.');
    expect(world.sandbox.requests).toEqual([]);
  });
});
