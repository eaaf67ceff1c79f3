import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import { sample } from '../../support/effort.ts';
import { createWorld, type World } from '../../support/world.ts';

const USD = '6193047821';
/** A tenth of the keywords: enough to break off in the middle of. */
const QUERIES = {
  'keyword_stats.sql': `SELECT campaign.id, campaign.name, ad_group.id, ad_group_criterion.criterion_id,
    ad_group_criterion.keyword.text, metrics.impressions, metrics.clicks, metrics.cost_micros, segments.date
    FROM keyword_view WHERE segments.date DURING LAST_7_DAYS AND metrics.clicks > 2`,
};
const CONFIG = 'ads: { retry: { attempts: 1 } }';
const ALL_ROWS = 'SELECT * FROM keyword_stats';
const COLUMNS = `date, ad_group_id, ad_group_criterion_criterion_id, campaign_id, campaign_name,
  ad_group_criterion_keyword_text, impressions, clicks, cost_micros`;
const ROWS_OF = (customer: string) =>
  `SELECT ${COLUMNS} FROM keyword_stats WHERE customer_id = ${customer} ORDER BY ${COLUMNS}`;

/** The fault on the keyword stream of one account. */
function onStream(world: World, fault: Fault, customer = USD): void {
  world.fault = ({ kind, customerId, query }) =>
    kind === 'stream' && customerId === customer && query?.includes('keyword_view') ? fault : undefined;
}

const row = (metrics: string) =>
  `{"campaign":{"id":"1","name":"c"},"adGroup":{"id":"2"},"adGroupCriterion":{"criterionId":"3","keyword":{"text":"k"}},"metrics":${metrics},"segments":{"date":"2026-11-19"}}`;
const batch = (...rows: string[]): Fault => ({ kind: 'replace', body: `[{"results":[${rows.join(',')}]}]` });

describe('a stream that does not end cleanly', () => {
  it.each(
    sample<[sentence: string, fault: Fault, words: RegExp]>([
      ['is cut off in the middle', { kind: 'cut', afterBytes: 2000 }, /gave no complete answer/],
      ['is refused', { kind: 'status', status: 403 }, /403/],
      ['never begins', { kind: 'reset_before' }, /gave no complete answer/],
    ]),
  )('that %s leaves the slice unchanged, is reported, and stops no other account', async (_sentence, fault, words) => {
    const world = await createWorld({ config: CONFIG, queries: QUERIES, rules: {} });
    await world.report();
    const before = world.rows('state', ROWS_OF(USD));

    onStream(world, fault);
    world.clock.set('2026-11-21T12:00:00Z');
    const result = await world.report();

    expect(result.run.exitCode).toBe(1);
    expect(world.rows('state', ROWS_OF(USD))).toEqual(before);
    expect(result.failures).toEqual([expect.stringMatching(words)]);
    expect(result.failures[0]).toContain(
      `keyword_stats of account ${USD} was not read and is unchanged (2026-11-14 to 2026-11-20): `,
    );
    const failing = result.slices.filter(({ failure }) => failure !== undefined);
    expect(new Set(failing.map(({ customerId }) => customerId))).toEqual(new Set([USD]));
    expect(result.slices.filter(({ failure }) => failure === undefined)).toHaveLength(3);
    expect(world.rows('warehouse', 'SELECT state, failures FROM run ORDER BY id DESC LIMIT 1')).toEqual([
      { state: 'failed', failures: 1 },
    ]);
    const failed = world.rows('state', "SELECT DISTINCT customer_id, rows FROM slice WHERE state = 'failed'");
    expect(failed).toEqual([{ customer_id: Number(USD), rows: 0 }]);
  });
});

describe('a stream that breaks once', () => {
  it.each(
    sample<[sentence: string, fault: Fault]>([
      ['with a reset', { kind: 'reset_before' }],
      ['with a 503', { kind: 'status', status: 503 }],
      ['in the middle', { kind: 'cut', afterBytes: 8000 }],
      ['before its end', { kind: 'truncate', afterBytes: 8000 }],
    ]),
  )('%s is read again from the start, and gives each row once', async (_sentence, fault) => {
    const world = await createWorld({ config: '', queries: QUERIES, rules: {} });
    let broken = 0;
    world.fault = ({ kind, customerId, query }) =>
      kind === 'stream' && customerId === USD && query?.includes('keyword_view') && broken++ === 0 ? fault : undefined;
    const result = await world.report();
    expect(result.failures).toEqual([]);
    // What broke in the middle is asked for in two halves.
    expect(broken).toBe(fault.kind === 'cut' || fault.kind === 'truncate' ? 3 : 2);
    expect(world.pauses.taken).toEqual([5000]);
    const doubled = `SELECT count(*) AS times FROM keyword_stats
      GROUP BY customer_id, date, ad_group_id, ad_group_criterion_criterion_id HAVING times > 1`;
    expect(world.rows('state', doubled)).toEqual([]);
  });
});

describe('the values of a row', () => {
  const answer = async (fault: Fault) => {
    const world = await createWorld({ config: CONFIG, queries: QUERIES, rules: {} });
    onStream(world, fault);
    const result = await world.report();
    expect(result.failures).toEqual([]);
    return world.rows(
      'state',
      `SELECT CAST(impressions AS TEXT) AS impressions, CAST(clicks AS TEXT) AS clicks,
        CAST(cost_micros AS TEXT) AS cost, ad_group_criterion_keyword_text AS keyword
        FROM keyword_stats WHERE customer_id = ${USD}`,
    );
  };

  it('are exact over the whole int64 range, as text and as numbers', async () => {
    const rows = await answer(
      batch(
        row('{"impressions":"9223372036854775807","clicks":"-9223372036854775808","costMicros":"9007199254740993"}'),
        row('{"impressions":9223372036854775807,"clicks":9007199254740993,"costMicros":1}').replace('"3"', '"4"'),
      ),
    );
    expect(rows).toEqual([
      { impressions: '9223372036854775807', clicks: '-9223372036854775808', cost: '9007199254740993', keyword: 'k' },
      { impressions: '9223372036854775807', clicks: '9007199254740993', cost: '1', keyword: 'k' },
    ]);
  });

  it('of a day that was not asked for are not stored, and no day counts as read', async () => {
    const world = await createWorld({ config: CONFIG, queries: QUERIES, rules: {} });
    await world.report();
    const known = `SELECT date, rows, slice_id FROM account_day WHERE customer_id = ${USD} ORDER BY date`;
    const before = [world.rows('state', known), world.rows('state', ALL_ROWS)];
    onStream(world, {
      kind: 'replace',
      body: `[{"results":[${row('{"clicks":"7"}').replace('2026-11-19', '2026-01-01')}]}]`,
    });
    const { failures } = await world.report();
    expect(failures.join()).toMatch(/The answer was not stored: A row has the day 2026-01-01, but the query asks for/);
    expect([world.rows('state', known), world.rows('state', ALL_ROWS)]).toEqual(before);
  });
});

it.each([
  [1, true],
  [2, false],
])('with LIMIT %i, one change of a budget says that others may be missing: %s', async (limit, isSaid) => {
  const query = `SELECT change_event.resource_name FROM change_event
    WHERE change_event.change_date_time DURING LAST_7_DAYS LIMIT ${limit}`;
  const world = await createWorld({ queries: { 'changes.sql': query }, rules: {}, env: { ADS_CUSTOMER_IDS: USD } });
  const budget = world.sandbox.market.accounts.find(({ customerId }) => customerId === USD)?.budgets[0];
  world.sandbox.setBudget(USD, budget?.budgetId ?? '', micros(7_000_000n));
  world.clock.set('2026-11-21T12:00:00Z');
  await world.extract();
  const said = `changes of ${USD}: 1 row came, as many as LIMIT allows. Others may be missing.`;
  expect(world.log.some((line) => line.includes(said))).toBe(isSaid);
});

describe('accounts', () => {
  it('are isolated if refused: the others are read, the failure is reported and the run exits with 1', async () => {
    const world = await createWorld({ config: CONFIG, queries: QUERIES, rules: {} });
    world.fault = ({ customerId }) => (customerId === USD ? { kind: 'status', status: 403 } : undefined);
    const result = await world.report();
    expect(result.run.exitCode).toBe(1);
    expect(result.failures).toEqual([expect.stringContaining(`Account ${USD}: `)]);
    expect(new Set(world.rows('state', ALL_ROWS).map((one) => one.customer_id)).size).toBe(3);
  });

  it('can be limited to named ones', async () => {
    const world = await createWorld({
      config: CONFIG,
      queries: QUERIES,
      rules: {},
      env: { ADS_CUSTOMER_IDS: '619-304-7821' },
    });
    const result = await world.report();
    expect(result.accounts.map(({ customerId }) => customerId)).toEqual([USD]);
    expect(world.sandbox.requests.filter(({ kind }) => kind === 'list')).toEqual([]);
  });
});
