import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extractIn } from '../../support/extract-in.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { createWorld, liveEnvironment, type World } from '../../support/world.ts';

const { customerId: EUR, campaignName } = TRIMMED;
const STATS = TRIM_QUERIES['stats.sql'];
const MONTHLY = STATS.replace('segments.date\n', 'segments.date, segments.month\n').replace(
  'LAST_7_DAYS',
  'LAST_MONTH',
);
const RETRY = 'ads: { retry: { attempts: 1 } }\n';
const ALL = 'SELECT * FROM stats ORDER BY customer_id, date, clicks, cost_micros';

const statsWorld = (sql = STATS, config = RETRY) => createWorld({ config, queries: { 'stats.sql': sql }, rules: {} });
const rewrite = (world: World, sql: string) => writeFileSync(join(world.folder, 'queries', 'stats.sql'), sql);
const extract = (world: World, options = {}) =>
  extractIn(
    { folder: world.folder, env: liveEnvironment(world.sandbox), clock: world.clock, pauses: world.pauses },
    { customers: [EUR as never], ...options },
  );
/** The date conditions of the statistics that were asked for since the last look. */
const looks = (world: World) => {
  let seen = 0;
  return () => {
    const fresh = world.sandbox.requests.slice(seen);
    seen = world.sandbox.requests.length;
    return fresh.flatMap(({ query }) =>
      query?.includes('keyword_view')
        ? (/WHERE segments\.date (.*?)(?= AND campaign| LIMIT|$)/.exec(query)?.[1] ?? '')
        : [],
    );
  };
};

describe('missing days', () => {
  it('are read with the next window in one request, and the table equals that of daily runs', async () => {
    const daily = await statsWorld();
    for (const day of ['10', '11', '12', '13', '14', '15', '16', '17', '18', '19', '20']) {
      daily.clock.set(`2026-11-${day}T12:00:00Z`);
      await daily.report({ customers: [EUR as never] });
    }
    const world = await statsWorld();
    world.clock.set('2026-11-10T12:00:00Z');
    await world.report({ customers: [EUR as never] });
    const sent = looks(world);
    sent();
    world.clock.set('2026-11-20T12:00:00Z');
    await world.report({ customers: [EUR as never] });
    expect(sent()).toEqual(["BETWEEN '2026-11-10' AND '2026-11-19'"]);
    expect(world.rows('warehouse', ALL)).toEqual(daily.rows('warehouse', ALL));
    await world.report({ customers: [EUR as never] });
    expect(sent()).toEqual(['DURING LAST_7_DAYS']);
  });

  it('get their own request if they do not touch the window', async () => {
    const world = await statsWorld();
    world.clock.set('2026-10-01T12:00:00Z');
    await extract(world);
    world.clock.set('2026-10-12T12:00:00Z');
    await extract(world, { scope: { kind: 'range', range: { from: '2026-10-05', to: '2026-10-11' } } });
    const sent = looks(world);
    sent();
    world.clock.set('2026-10-19T12:00:00Z');
    await extract(world);
    expect(sent()).toEqual(["BETWEEN '2026-10-01' AND '2026-10-04'", 'DURING LAST_7_DAYS']);
  });

  it('do not precede the first window, even if older days were read by request', async () => {
    const world = await statsWorld();
    await extract(world, { scope: { kind: 'range', range: { from: '2026-08-25', to: '2026-08-31' } } });
    const sent = looks(world);
    sent();
    await extract(world);
    await extract(world, { scope: { kind: 'range', range: { from: '2026-11-13', to: '2026-11-19' } } });
    world.clock.set('2026-11-22T12:00:00Z');
    await extract(world);
    const byRequest = "BETWEEN '2026-11-13' AND '2026-11-19'";
    expect(sent()).toEqual(['DURING LAST_7_DAYS', byRequest, 'DURING LAST_7_DAYS']);
  });

  it('include provisional days, which are read again once they have ended', async () => {
    const world = await statsWorld(STATS.replace('DURING LAST_7_DAYS', 'DURING TODAY'));
    await extract(world);
    const state = "SELECT date, state FROM account_day WHERE state = 'provisional'";
    expect(world.rows('state', state)).toEqual([{ date: '2026-11-20', state: 'provisional' }]);
    const before = world.rows('state', 'SELECT clicks FROM stats');
    const sent = looks(world);
    sent();
    world.clock.set('2026-11-21T12:00:00Z');
    await extract(world);
    expect(sent()).toEqual(["BETWEEN '2026-11-20' AND '2026-11-21'"]);
    expect(world.rows('state', state)).toEqual([{ date: '2026-11-21', state: 'provisional' }]);
    expect(world.rows('state', "SELECT clicks FROM stats WHERE date = '2026-11-20'")).not.toEqual(before);
  });

  it('do not arise from a change of the window alone', async () => {
    const world = await statsWorld();
    await extract(world);
    const sent = looks(world);
    sent();
    rewrite(world, STATS.replace('LAST_7_DAYS', 'LAST_14_DAYS'));
    world.clock.set('2026-11-21T12:00:00Z');
    await extract(world);
    expect(sent()).toEqual(['DURING LAST_14_DAYS']);
    rewrite(world, STATS.replace('LAST_7_DAYS', 'YESTERDAY'));
    await extract(world);
    expect(sent()).toEqual(['DURING YESTERDAY']);
  });

  it.each([
    ['another condition', STATS.replace(`'${campaignName}'`, `'${campaignName}' AND metrics.clicks >= 0`)],
    ['another column', STATS.replace('metrics.clicks,', 'metrics.clicks, metrics.impressions,')],
  ])('arise if the query gets %s, and rules name them', async (_words, sql) => {
    const world = await createWorld({ config: RETRY, queries: TRIM_QUERIES, rules: TRIM_RULES });
    await world.report({ customers: [EUR as never] });
    rewrite(world, sql);
    const result = await world.report({ customers: [EUR as never], noExtract: true });
    expect(result.rules[0]?.notEvaluated).toBe('stats has no complete data for 2026-11-13 and 6 more days');
  });

  it.each([
    [
      'a query with fixed days',
      STATS.replace('DURING LAST_7_DAYS', "BETWEEN '2026-11-12' AND '2026-11-13'"),
      "BETWEEN '2026-11-12' AND '2026-11-13'",
    ],
    ['a query with a LIMIT', `${STATS} LIMIT 1000`, 'DURING LAST_7_DAYS'],
    ['a query that selects the month', MONTHLY, 'DURING LAST_MONTH'],
  ])('do not widen the window of %s', async (_words, sql, window) => {
    const world = await statsWorld(sql);
    world.clock.set('2026-11-10T12:00:00Z');
    await extract(world, { scope: { kind: 'window' } });
    const sent = looks(world);
    sent();
    world.clock.set('2026-11-20T12:00:00Z');
    await extract(world);
    expect(sent()).toEqual([window]);
  });
});

describe('a resumed extraction', () => {
  const QUARTER = { kind: 'range', range: { from: '2026-09-01', to: '2026-11-19' } };
  const RESUME = { kind: 'resume', range: undefined };
  const failed = async (sql = STATS) => {
    const world = await statsWorld(sql);
    let asked = 0;
    world.fault = ({ query }) => {
      if (!query?.includes('keyword_view')) return undefined;
      asked += 1;
      return asked === 2 ? { kind: 'status', status: 500 } : undefined;
    };
    expect((await extract(world, { scope: QUARTER })).run.exitCode).toBe(1);
    world.fault = undefined;
    const sent = looks(world);
    sent();
    return { world, sent };
  };

  it('reads only the failed slice, and nothing the second time', async () => {
    const { world, sent } = await failed();
    expect((await extract(world, { scope: RESUME })).failures).toEqual([]);
    expect(sent()).toEqual(["BETWEEN '2026-10-02' AND '2026-11-01'"]);
    const again = await extract(world, { scope: RESUME });
    expect(sent()).toEqual([]);
    expect(again.run.exitCode).toBe(0);
    expect(again.notes).toContain('Nothing to resume: all extractions are finished.');
    const whole = await statsWorld();
    await extract(whole, { scope: QUARTER });
    expect(world.rows('warehouse', ALL)).toEqual(whole.rows('warehouse', ALL));
  });

  it('reads only the days within a given range, and the rest later', async () => {
    const { world, sent } = await failed();
    const range = { from: '2026-10-10', to: '2026-10-20' };
    await extract(world, { scope: { kind: 'resume', range } });
    expect(sent()).toEqual(["BETWEEN '2026-10-10' AND '2026-10-20'"]);
    await extract(world, { scope: RESUME });
    expect(sent()).toEqual(["BETWEEN '2026-10-02' AND '2026-10-09'", "BETWEEN '2026-10-21' AND '2026-11-01'"]);
    await extract(world, { scope: RESUME });
    expect(sent()).toEqual([]);
  });

  it('skips slices with another query fingerprint, and says so', async () => {
    const { world, sent } = await failed();
    rewrite(world, STATS.replace('metrics.clicks,', 'metrics.clicks, metrics.impressions,'));
    const result = await extract(world, { scope: RESUME });
    expect(sent()).toEqual([]);
    const text =
      '1 unfinished part was not resumed, because the query was changed since (stats). To read the days, run pacekeeper extract with --from and --to.';
    expect(result.notes).toContain(text);
  });

  it('still reads its days after a report failed on the same days', async () => {
    const { world, sent } = await failed(STATS.replace('LAST_7_DAYS', 'LAST_30_DAYS'));
    world.clock.set('2026-11-02T12:00:00Z');
    world.fault = ({ query }) => (query?.includes('keyword_view') ? { kind: 'status', status: 500 } : undefined);
    await world.report({ customers: [EUR as never] });
    world.fault = undefined;
    sent();
    await extract(world, { scope: RESUME });
    expect(sent()).toEqual(["BETWEEN '2026-10-02' AND '2026-11-01'"]);
  });

  it('skips days that a report has read meanwhile', async () => {
    const { world, sent } = await failed();
    world.clock.set('2026-10-20T12:00:00Z');
    await world.report({ customers: [EUR as never] });
    expect(sent()).toEqual(['DURING LAST_7_DAYS']);
    world.clock.set('2026-11-20T12:00:00Z');
    await extract(world, { scope: RESUME });
    expect(sent()).toEqual(["BETWEEN '2026-10-02' AND '2026-10-12'", "BETWEEN '2026-10-20' AND '2026-11-01'"]);
  });
});
