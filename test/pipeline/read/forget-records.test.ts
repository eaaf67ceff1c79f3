import { describe, expect, it } from 'vitest';
import { isStream, QUERIES } from '../../support/second-day.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { APPLY, createWorld, NOON, type World } from '../../support/world.ts';

const KEEP = `${APPLY}extract: { keep_records_days: 31 }\n`;
const LATER = '2026-12-24T12:00:00Z';
const NEVER_REMOVED = [
  'budget_event',
  'budget_intent',
  'budget_proposal',
  'foreign_change',
  'alert',
  'outbox',
  'message',
];
const RECORDS = 'SELECT run_id FROM run_account ORDER BY run_id';

/** Three runs of a day, the first of which changes a budget and tells of it. */
async function usedWorld(config = KEEP): Promise<World> {
  const env = { ADS_CUSTOMER_IDS: TRIMMED.customerId };
  const world = await createWorld({ config, queries: QUERIES, rules: TRIM_RULES, now: NOON, env });
  await world.report();
  for (const hour of [13, 14]) {
    world.clock.set(`2026-11-20T${hour}:00:00Z`);
    await world.report();
  }
  return world;
}

const runsKept = (world: World) => world.rows('state', RECORDS).map((row) => row.run_id);
const slicesOf = (world: World, runs: string) =>
  Number(world.rows('state', `SELECT count(*) AS n FROM slice WHERE run_id IN (${runs})`)[0]?.n);

describe('a report with runs older than extract.keep_records_days', () => {
  it('removes their records, but no changes, alerts, days or runs; published data stays the same', async () => {
    const world = await usedWorld();
    const old = (table: string) =>
      world.rows('state', `SELECT * FROM ${table} WHERE created_at < '2026-12-01' ORDER BY 1`);
    const kept = NEVER_REMOVED.filter((one) => one !== 'foreign_change').map(old);
    const runs = slicesOf(world, '1, 2, 3');
    expect(kept[0]).not.toEqual([]);
    const days = world.rows('state', "SELECT * FROM account_day WHERE date < '2026-11-14' ORDER BY 1, 2, 3");
    world.clock.set(LATER);
    expect((await world.report()).failures).toEqual([]);
    expect(runsKept(world)).toEqual([4]);
    expect(slicesOf(world, '1, 2, 3')).toBeLessThan(runs);
    expect(NEVER_REMOVED.filter((one) => one !== 'foreign_change').map((one) => old(one).length)).toEqual(
      kept.map(({ length }) => length),
    );
    expect(old('budget_event')).toEqual(kept[0]);
    expect(world.rows('state', "SELECT * FROM account_day WHERE date < '2026-11-14' ORDER BY 1, 2, 3")).toEqual(days);
    expect(world.rows('warehouse', RECORDS)).toEqual([{ run_id: 4 }]);
    expect(world.rows('warehouse', 'SELECT id FROM run ORDER BY id').length).toBe(4);
  });

  it('removes nothing younger than the setting', async () => {
    const world = await usedWorld();
    world.clock.set('2026-12-21T11:00:00Z');
    await world.report();
    expect(runsKept(world)).toEqual([1, 2, 3, 4]);
    await world.reconfigure(APPLY);
    world.clock.set(LATER);
    await world.report();
    expect(runsKept(world)).toEqual([1, 2, 3, 4, 5]);
  });

  it('removes nothing in a dry run or when asked to stop', async () => {
    const world = await usedWorld();
    world.clock.set(LATER);
    await world.report({ dryRun: true });
    expect(runsKept(world).slice(0, 3)).toEqual([1, 2, 3]);
    world.stop = AbortSignal.abort();
    await world.report();
    expect(runsKept(world).slice(0, 3)).toEqual([1, 2, 3]);
  });

  it('keeps the newest reading of an account that can no longer be read', async () => {
    const world = await usedWorld();
    world.clock.set(LATER);
    world.fault = (request) => (isStream(request) ? { kind: 'html' } : undefined);
    await world.report();
    const newest = world.rows('state', "SELECT max(run_id) AS run FROM slice WHERE state = 'done' AND query = 'stats'");
    expect(newest).toEqual([{ run: 3 }]);
  });
});
