import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../src/sandbox/faults.ts';
import { runCli } from '../support/run-cli.ts';
import { stubServer } from '../support/stub-server.ts';
import { TRIMMED } from '../support/trim-rule.ts';
import { createWorld, liveEnvironment, NOON, type World } from '../support/world.ts';

const EUR = TRIMMED.customerId;
const QUERIES = {
  'stats.sql': `SELECT campaign.id, campaign.name, ad_group.id, ad_group_criterion.criterion_id, metrics.clicks,
    metrics.cost_micros, segments.date
    FROM keyword_view WHERE segments.date DURING LAST_7_DAYS AND campaign.name = '${TRIMMED.campaignName}'`,
};
const YESTERDAY = '2026-11-19T12:00:00Z';
const CONFIG = 'ads: { retry: { attempts: 1, first_delay_ms: 0, total_ms: 1000 } }\n';

const TABLES = {
  rows: `SELECT customer_id, date, ad_group_id, ad_group_criterion_criterion_id, campaign_id, campaign_name, clicks,
    cost_micros FROM stats ORDER BY 1, 2, 3, 4`,
  days: 'SELECT query, query_text, customer_id, date, state, rows, totals FROM account_day ORDER BY 1, 3, 4',
  readings: `SELECT query, customer_id, date, read_at, days_after, rows, totals FROM day_reading ORDER BY 1, 2, 3, 4`,
  published: 'SELECT customer_id, date, ad_group_id, cost_micros FROM stats ORDER BY 1, 2, 3, 4',
};

function tablesOf(world: World): Record<string, unknown> {
  const { published, ...state } = TABLES;
  const read = Object.entries(state).map(([name, sql]) => [name, world.rows('state', sql)] as const);
  return { ...Object.fromEntries(read), published: world.rows('warehouse', published) };
}

/** A world of one account that was read on the day before. */
async function secondDay(env: Readonly<Record<string, string>> = {}): Promise<World> {
  const options = { config: CONFIG, queries: QUERIES, rules: {}, now: YESTERDAY };
  const world = await createWorld({ ...options, env: { ADS_CUSTOMER_IDS: EUR, ...env } });
  expect((await world.extract()).failures).toEqual([]);
  world.clock.set(NOON);
  return world;
}

const isStream = ({ kind, query }: { readonly kind: string; readonly query?: string }) =>
  kind === 'stream' && query?.includes('keyword_view') === true;

function spoil(world: World, fault: Fault | undefined): void {
  world.fault = fault && ((request) => (isStream(request) ? fault : undefined));
}

interface Batch {
  readonly results: readonly object[];
}

/** What the service answers to the query of the second day, a few rows a batch. */
async function answerOf({ sandbox }: World): Promise<readonly Batch[]> {
  const sent = sandbox.requests.filter(isStream).at(-1);
  const response = await fetch(`${sandbox.url}/v25/customers/${EUR}/googleAds:searchStream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.credentials.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: sent?.query }),
  });
  const rows = ((await response.json()) as Batch[]).flatMap(({ results }) => results);
  return Array.from({ length: Math.ceil(rows.length / 20) }, (_, index) => ({
    results: rows.slice(index * 20, index * 20 + 20),
  }));
}

let clean: Record<string, unknown>;
let batches: readonly Batch[];

const replaced = (body: unknown): Fault => ({
  kind: 'replace',
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const ERROR = { error: { code: 500, message: 'Internal error encountered.', status: 'INTERNAL' } };
/** The first of the rows that has it says something else. */
const withInstead = (found: RegExp, words: string): Fault => replaced(JSON.stringify(batches).replace(found, words));

/** The world that never had a fault, made once. */
async function cleanWorld(): Promise<void> {
  if (clean) return;
  const world = await secondDay();
  await world.extract();
  clean = tablesOf(world);
  batches = await answerOf(world);
}

describe('a stream with a fault', () => {
  it.each<[sentence: string, fault: () => Fault, words: RegExp]>([
    ['that is cut in its first bytes', () => ({ kind: 'cut', afterBytes: 5 }), /gave no complete answer/],
    ['that is cut in the middle', () => ({ kind: 'cut', afterBytes: 500 }), /gave no complete answer/],
    [
      'that ends before it began, compressed',
      () => ({ kind: 'truncate', afterBytes: 0 }),
      /no complete answer|final "]"/,
    ],
    ['that ends too early, compressed', () => ({ kind: 'truncate', afterBytes: 400 }), /no complete answer|final "]"/],
    ['that lacks its final bracket', () => replaced(JSON.stringify(batches).slice(0, -1)), /final "]"/],
    [
      'that is cut between two batches',
      () => replaced(`${JSON.stringify(batches.slice(0, 2)).slice(0, -1)},`),
      /final "]"/,
    ],
    [
      'with an error element in the middle',
      () => replaced([batches[0], ERROR, batches[1]]),
      /INTERNAL \(500\): Internal error/,
    ],
    ['with an error element at its end', () => ({ kind: 'error_element', afterBatches: 1 }), /answered [A-Z_]+ \(/],
    ['that is an error in an array', () => replaced([ERROR]), /INTERNAL \(500\)/],
    ['that is an error alone', () => replaced(ERROR), /INTERNAL \(500\)/],
    [
      'that is a refusal in an array',
      () => ({
        kind: 'status',
        status: 400,
        body: '[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]',
      }),
      /INVALID_ARGUMENT \(400\): m/,
    ],
    ['that is an HTML page', () => ({ kind: 'html' }), /HTML page/],
    ['that is an HTML page with a status', () => ({ kind: 'html', status: 502 }), /HTTP 502 with an HTML page/],
    ['with something behind its end', () => replaced(`${JSON.stringify(batches)} x`), /between two batches/],
    ['that is empty', () => replaced(''), /final "]"/],
    ['that never comes', () => ({ kind: 'hang_after' }), /no answer within the time allowed/],
    ['with text for a number', () => withInstead(/"clicks":"\d+"/, '"clicks":"many"'), /cannot store TEXT/],
    ['with true for a number', () => withInstead(/"clicks":"\d+"/, '"clicks":true'), /true or false/],
    ['with a number for a batch', () => replaced([7]), /expected JSON/],
    ['with rows that are an object', () => replaced([{ results: { a: 1 } }]), /not JSON of the shape/],
    [
      'with a day that does not exist',
      () => withInstead(/"2026-\d\d-\d\d"/, '"2026-02-30"'),
      /"2026-02-30", expected YYYY-MM-DD/,
    ],
    [
      'with bytes that are not UTF-8 text',
      () => replaced(JSON.stringify(batches).replace('"campaign"', '"campaign')),
      /stream|stored/,
    ],
  ])('%s leaves the slice as it was, in words, and nothing of it after the next run', async (_, faultOf, words) => {
    await cleanWorld();
    const world = await secondDay();
    const before = tablesOf(world);
    spoil(world, faultOf());
    const result = await world.extract();
    expect(result.run.exitCode).toBe(1);
    expect(result.failures.length).toBeGreaterThan(0);
    expect(result.failures[0]).toMatch(words);
    expect(result.failures[0]).toContain(
      `stats of account ${EUR} was not read and is as it was (2026-11-13 to 2026-11-19`,
    );
    expect(tablesOf(world)).toEqual(before);

    spoil(world, undefined);
    const next = await world.extract();
    expect([next.failures, next.run.exitCode]).toEqual([[], 0]);
    expect(tablesOf(world)).toEqual(clean);
  });

  it('that stalls in the middle is given up after the time that is allowed, and is read whole by the next run', async () => {
    await cleanWorld();
    let target = '';
    let stalls = false;
    const { url } = await stubServer((request, response) => {
      const { authorization, 'content-type': type } = request.headers as Record<string, string>;
      const headers = { authorization: authorization ?? '', ...(type ? { 'content-type': type } : {}) };
      const { method, path, body } = request;
      void fetch(`${target}${path}`, { method, headers, ...(body ? { body } : {}) }).then(async (answer) => {
        const text = await answer.text();
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        if (stalls && body.includes('keyword_view')) response.write(text.slice(0, text.length / 2));
        else response.end(text);
      });
    });
    const options = { config: CONFIG, queries: QUERIES, rules: {}, now: YESTERDAY };
    const world = await createWorld({ ...options, env: { ADS_CUSTOMER_IDS: EUR, ADS_URL: url } });
    target = world.sandbox.url;
    await world.extract();
    world.clock.set(NOON);
    const before = tablesOf(world);
    // The days are asked for one by one otherwise, and each would stall for as long.
    stalls = true;
    await world.reconfigure('ads: { retry: { attempts: 1, first_delay_ms: 5000, total_ms: 1000 } }\n');
    const result = await world.extract();
    expect(result.failures).toEqual([expect.stringContaining('the answer stalled (UND_ERR_BODY_TIMEOUT)')]);
    expect(tablesOf(world)).toEqual(before);
    stalls = false;
    await world.extract();
    expect(tablesOf(world)).toEqual(clean);
  });
});

describe('a stream with its batches', () => {
  it.each<[sentence: string, body: () => unknown]>([
    ['duplicated', () => [...batches, ...batches]],
    ['each twice in a row', () => batches.flatMap((batch) => [batch, batch])],
    ['reversed', () => [...batches].reverse()],
    ['reversed, the last of them twice', () => [...[...batches].reverse(), batches[0]]],
    ['joined to one', () => [{ results: batches.flatMap(({ results }) => results) }]],
    ['of one row each', () => batches.flatMap(({ results }) => results.map((row) => ({ results: [row] })))],
    ['and empty ones between them', () => batches.flatMap((batch) => [{ results: [] }, batch, {}])],
  ])('%s brings the same rows, at once and again', async (_, bodyOf) => {
    await cleanWorld();
    const world = await secondDay();
    spoil(world, replaced(bodyOf()));
    expect((await world.extract()).failures).toEqual([]);
    expect(tablesOf(world)).toEqual(clean);
    expect((await world.extract()).failures).toEqual([]);
    expect(tablesOf(world)).toEqual(clean);
    spoil(world, undefined);
    expect((await world.extract()).failures).toEqual([]);
    expect(tablesOf(world)).toEqual(clean);
  });
});

describe('a stream that brings a row twice', () => {
  it('first as it is not and then in a batch that is known is asked for once more, and the last one counts', async () => {
    await cleanWorld();
    const world = await secondDay();
    await world.reconfigure('ads: { retry: { attempts: 2, first_delay_ms: 0, total_ms: 1000 } }\n');
    spoil(world, replaced(batches));
    await world.extract();
    const [first = {}] = batches[0]?.results ?? [];
    spoil(world, replaced([{ results: [{ ...first, metrics: { clicks: '77' } }] }, ...batches]));
    const asked = () => world.sandbox.requests.filter(isStream).length;
    const before = asked();
    expect((await world.extract()).failures).toEqual([]);
    expect(asked() - before).toBe(2);
    expect(tablesOf(world)).toEqual(clean);
  });
});

/** A file system of its own, of so few bytes; undefined where this process may not make one. */
function smallDisk(path: string, kibibytes: number): boolean {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path], { stdio: 'ignore' }));
  return true;
}

/** Leaves so much of the disk that a file lies on, which it fills. */
function fillAllBut(kibibytes: number, filler: string): void {
  try {
    for (;;) appendFileSync(filler, Buffer.alloc(16 * 1024));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
  truncateSync(filler, statSync(filler).size - kibibytes * 1024);
}

describe('a disk', () => {
  it('that is full ends the run with 1 and a sentence, and all is there after the next run', async ({ skip }) => {
    await cleanWorld();
    const world = await createWorld({ config: CONFIG, queries: QUERIES, rules: {}, now: YESTERDAY });
    if (!smallDisk(world.dataDir, 4096)) skip('this process may not mount a file system');
    const extract = (now: string) => {
      world.clock.set(now);
      const env = { ...liveEnvironment(world.sandbox), ADS_CUSTOMER_IDS: EUR, PACEKEEPER_NOW: now };
      return runCli(['extract'], { cwd: world.folder, env });
    };
    expect((await extract(YESTERDAY)).code).toBe(0);
    const before = tablesOf(world);
    const filler = join(world.dataDir, 'filler');
    const { published: _, ...state } = clean;
    let codes: (number | null)[] = [];
    for (let roomKib = 0; codes.at(-1) !== 0; roomKib += 48) {
      fillAllBut(roomKib, filler);
      const run = await extract(NOON);
      rmSync(filler);
      codes = [...codes, run.code];
      if (run.code === 0) continue;
      expect(`${run.stderr}${run.stdout}`).toMatch(/disk is full/);
      // What was read may be in the tables although there is no room left to publish it.
      expect([before, { ...state, published: before.published }]).toContainEqual(tablesOf(world));
    }
    expect(codes.slice(0, -1)).toEqual(codes.slice(0, -1).map(() => 1));
    expect(codes.length).toBeGreaterThan(2);
    expect(tablesOf(world)).toEqual(clean);
  });
});

describe('a state file', () => {
  it('that a newer version wrote ends the run with 2, says what to do, and is left alone', async () => {
    const world = await secondDay();
    const file = join(world.dataDir, 'state.sqlite');
    const state = new Database(file);
    state.exec("INSERT INTO kysely_migration VALUES ('9999-from-the-future', '2030-01-01')");
    state.close();
    const before = tablesOf(world);
    const { code, stdout, stderr } = await runCli(['extract'], {
      cwd: world.folder,
      env: { ...liveEnvironment(world.sandbox), PACEKEEPER_NOW: NOON },
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`error: ${file} was written by a newer version of pacekeeper.`);
    expect(stderr).toContain('next step: Update pacekeeper');
    expect(tablesOf(world)).toEqual(before);
  });
});
