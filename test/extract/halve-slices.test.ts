import { describe, expect, it } from 'vitest';
import { daysOf } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../src/sandbox/read-request.ts';
import { TRIMMED } from '../support/trim-rule.ts';
import { createWorld, type World } from '../support/world.ts';
import { days } from './loads.ts';

const EUR = TRIMMED.customerId;
const FIELDS = `campaign.id, ad_group.id, ad_group_criterion.criterion_id, metrics.clicks, metrics.cost_micros, segments.date`;
const FROM = `FROM keyword_view WHERE campaign.name = '${TRIMMED.campaignName}' AND segments.date`;
const QUERY = `SELECT ${FIELDS} ${FROM} DURING LAST_7_DAYS`;
const FIRST = '2026-11-13';
const LAST = '2026-11-19';
const CUT: Fault = { kind: 'cut', afterBytes: 300 };

interface Options {
  readonly query?: string;
  readonly retry?: string;
  readonly sliceBytesMax?: number;
}

const PATIENT = 'attempts: 2, first_delay_ms: 1000, total_ms: 600000';

async function account({ query = QUERY, retry = PATIENT, ...more }: Options = {}) {
  return createWorld({
    ...more,
    config: `ads: { retry: { ${retry} } }\n`,
    queries: { 'stats.sql': query },
    rules: {},
    env: { ADS_CUSTOMER_IDS: EUR },
  });
}

/** The days that a stream asks for. */
function askedDays({ query }: SandboxRequest) {
  const [, from, to] = /BETWEEN '([\d-]+)' AND '([\d-]+)'/.exec(query ?? '') ?? [];
  return daysOf(from && to ? days(from, to) : days(FIRST, LAST));
}

/** Spoils the streams whose days are such. */
function spoil(world: World, when: (asked: readonly string[]) => Fault | undefined): void {
  world.fault = (request) =>
    request.kind === 'stream' && request.query?.includes('keyword_view') ? when(askedDays(request)) : undefined;
}

const streams = (world: World) =>
  world.sandbox.requests.filter(({ kind, query }) => kind === 'stream' && query?.includes('keyword_view'));

/** What became of the slices, in the order of their records. */
const story = (world: World) =>
  world
    .rows('state', 'SELECT date_from, date_to, state FROM slice ORDER BY id')
    .map(({ date_from, date_to, state }) => `${String(date_from).slice(8)}-${String(date_to).slice(8)} ${state}`);
const ROWS = `SELECT * FROM (SELECT date, ad_group_id, ad_group_criterion_criterion_id, clicks, cost_micros FROM stats)
  ORDER BY 1, 2, 3`;
const dates = (world: World) =>
  world.rows('state', 'SELECT DISTINCT date FROM stats ORDER BY 1').map(({ date }) => date);

async function cleanRows(query = QUERY) {
  const world = await account({ query });
  await world.extract();
  return world.rows('state', ROWS);
}

describe('a slice with a broken stream', () => {
  it('is halved until all days arrive, and stores every row once', async () => {
    const world = await account();
    spoil(world, (asked) => (asked.length > 1 ? CUT : undefined));
    const result = await world.extract();
    expect(result.failures).toEqual([]);
    expect(world.rows('state', ROWS)).toEqual(await cleanRows());
    expect(story(world)).toEqual([
      '13-19 cut',
      '13-16 cut',
      '17-19 cut',
      '13-14 cut',
      '15-16 cut',
      '13-13 done',
      '14-14 done',
      '15-15 done',
      '16-16 done',
      '17-18 cut',
      '19-19 done',
      '17-17 done',
      '18-18 done',
    ]);
    expect(result.slices.map(({ days: read }) => read?.from)).toEqual(daysOf(days(FIRST, LAST)));
    expect(streams(world)).toHaveLength(13);
    expect(world.pauses.taken).toEqual(Array(6).fill(1000));
    const reasons = world.rows(
      'state',
      "SELECT count(*) AS said FROM slice WHERE state = 'cut' AND error LIKE '%complete answer%'",
    );
    expect(reasons).toEqual([{ said: 6 }]);
  });

  it.each<[sentence: string, status: number]>([
    ['an empty answer', 200],
    ['no content', 204],
  ])('is asked for again, but not halved after %s', async (_, status) => {
    const world = await account();
    spoil(world, () => ({ kind: 'status', status, body: '' }));
    expect((await world.extract()).failures).toEqual([expect.stringContaining('The answer is empty')]);
    expect(story(world)).toEqual(['13-19 failed']);
    expect(streams(world)).toHaveLength(2);
  });

  it('is not halved more than necessary', async () => {
    const world = await account();
    spoil(world, (asked) => (asked.length > 4 ? CUT : undefined));
    expect((await world.extract()).failures).toEqual([]);
    expect(story(world)).toEqual(['13-19 cut', '13-16 done', '17-19 done']);
  });

  it('misses only the day that never arrives, and names it; the next run fetches it', async () => {
    const world = await account();
    spoil(world, (asked) => (asked.includes(civilDate('2026-11-15')) ? CUT : undefined));
    const result = await world.extract();
    expect(result.run.exitCode).toBe(1);
    expect(result.failures).toEqual([
      expect.stringContaining(`stats of account ${EUR} was not read and is unchanged (2026-11-15 to 2026-11-15): `),
    ]);
    expect(dates(world)).toEqual(daysOf(days(FIRST, LAST)).filter((day) => day !== '2026-11-15'));
    expect(story(world)).toEqual([
      '13-19 cut',
      '13-16 cut',
      '17-19 done',
      '13-14 done',
      '15-16 cut',
      '15-15 failed',
      '16-16 done',
    ]);
    const states = "SELECT date, state FROM account_day WHERE date = '2026-11-15'";
    expect(world.rows('state', states)).toEqual([]);
    world.fault = undefined;
    expect(
      (await world.extract({ scope: { kind: 'resume', range: undefined } })).slices.map((one) => one.days),
    ).toEqual([days('2026-11-15')]);
    expect(world.rows('state', ROWS)).toEqual(await cleanRows());
  });

  it('stops retries and halving at the time limit of an account, and reports the rest', async () => {
    const world = await account({ retry: 'attempts: 3, first_delay_ms: 1000, total_ms: 3500' });
    spoil(world, () => CUT);
    const result = await world.extract();
    expect(world.pauses.taken.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(3500);
    expect(result.run.exitCode).toBe(1);
    expect(result.failures.at(-1)).toMatch(
      /parts? of account \d+ (was|were) left for the next run: the account was skipped for the rest of this run\./,
    );
    expect(story(world)).toEqual([
      '13-19 cut',
      '13-16 cut',
      '17-19 planned',
      '13-14 cut',
      '15-16 planned',
      '13-13 failed',
      '14-14 planned',
    ]);
    world.fault = undefined;
    const next = await world.extract({ scope: { kind: 'resume', range: undefined } });
    expect(next.failures).toEqual([]);
    expect(world.rows('state', ROWS)).toEqual(await cleanRows());
    expect(await world.extract({ scope: { kind: 'resume', range: undefined } })).toMatchObject({ slices: [] });
  });

  it.each([
    ['with a LIMIT', `${QUERY} LIMIT 10`],
    ['with a week among its days', QUERY.replace('segments.date FROM', 'segments.week, segments.date FROM')],
    ['without its days', QUERY.replace(', segments.date FROM', ' FROM')],
  ])('of a query %s is read again whole and never halved', async (_, query) => {
    const world = await account({ query });
    let broken = 0;
    // This service knows no weeks: what it says the second time is of no matter.
    spoil(world, () => (broken++ === 0 ? CUT : { kind: 'replace', body: '[]' }));
    expect((await world.extract()).failures).toEqual([]);
    expect(world.rows('state', 'SELECT state FROM slice')).toEqual([{ state: 'done' }]);
    const sent = streams(world).map((request) => request.query);
    expect(sent).toHaveLength(2);
    expect(sent[0]).toBe(sent[1]);
  });

  it.each<[sentence: string, fault: Fault]>([
    ['a refusal before it began', { kind: 'status', status: 503 }],
    [
      'too many requests, in the middle',
      {
        kind: 'replace',
        body: `[{"results":[]},{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]`,
      },
    ],
  ])('broken by %s is read again whole, because fewer days do not help', async (_, fault) => {
    const world = await account();
    let broken = 0;
    spoil(world, () => (broken++ === 0 ? fault : undefined));
    expect((await world.extract()).failures).toEqual([]);
    expect(story(world)).toEqual(['13-19 done']);
  });
});

describe('a slice that is too large', () => {
  const large: Fault = { kind: 'replace', body: `[${'{"results":[]},'.repeat(20_000)}{"results":[]}]` };

  it('is cut into days that fit, and stores every row once', async () => {
    const whole = await account();
    const [slice] = (await whole.extract()).slices;
    const world = await account({ sliceBytesMax: (slice?.bytes ?? 0) - 1 });
    expect((await world.extract()).failures).toEqual([]);
    expect(world.rows('state', ROWS)).toEqual(whole.rows('state', ROWS));
    expect(story(world)).toEqual(['13-19 cut', '13-16 done', '17-19 done']);
    const reasons = world.rows('state', "SELECT error FROM slice WHERE state = 'cut'");
    expect(reasons).toEqual([{ error: expect.stringMatching(/is larger than [\d,]+ bytes/) }]);
  });

  it('of a single day is refused after one request, and keeps the stored rows', async () => {
    const world = await account({ sliceBytesMax: 100_000 });
    await world.extract();
    const before = world.rows('state', ROWS);
    spoil(world, (asked) => (asked.includes(civilDate('2026-11-15')) ? large : undefined));
    const asked = streams(world).length;
    const result = await world.extract();
    expect(result.run.exitCode).toBe(1);
    expect(result.failures).toEqual([
      expect.stringMatching(/stats of account \d+ was not read .*\(2026-11-15 to 2026-11-15\): .* is larger than/s),
    ]);
    expect(streams(world).length - asked).toBe(7);
    expect(world.rows('state', ROWS)).toEqual(before);
  });

  it('and cannot be cut is requested once', async () => {
    const world = await account({ sliceBytesMax: 100_000, query: `${QUERY} LIMIT 10` });
    spoil(world, () => large);
    expect((await world.extract()).run.exitCode).toBe(1);
    expect(streams(world)).toHaveLength(1);
  });

  it('ends the account at its time limit', async () => {
    const world = await account({ sliceBytesMax: 100_000, retry: 'attempts: 3, first_delay_ms: 1000, total_ms: 2500' });
    spoil(world, () => large);
    const { failures } = await world.extract();
    expect(failures.at(-1)).toContain('the account was skipped for the rest of this run');
    expect(streams(world)).toHaveLength(3);
  });
});

describe('midnight', () => {
  it('during a request makes relative dates unreliable: the days are requested again by date', async () => {
    const world = await account();
    world.clock.set('2026-11-20T22:59:30Z');
    let asked = 0;
    spoil(world, () => {
      if (asked++ === 0) world.clock.set('2026-11-20T23:00:30Z');
      return undefined;
    });
    const result = await world.extract();
    expect(result.failures).toEqual([]);
    const sent = streams(world).map(({ query }) => /segments\.date ((?:DURING|BETWEEN).*)/.exec(query ?? '')?.[1]);
    expect(sent).toEqual(['DURING LAST_7_DAYS', "BETWEEN '2026-11-13' AND '2026-11-19'"]);
    expect(dates(world)).toEqual(daysOf(days(FIRST, LAST)));
    expect(world.log.join('\n')).toContain('A new day began in the account before its days were read.');
  });
});
