import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import { CONFIG, EUR, isStream, QUERIES, secondDay, tablesOf, YESTERDAY } from '../../support/second-day.ts';
import { stubServer } from '../../support/stub-server.ts';
import { createWorld, NOON, type World } from '../../support/world.ts';

/** Waits for half a second and no longer, and has no time for a second try: each day alone would stall for as long. */
const IMPATIENT = 'ads: { retry: { attempts: 1, first_delay_ms: 5000, total_ms: 500 } }\n';

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

type FaultRow = readonly [sentence: string, fault: () => Fault, words: RegExp];

/** One of each kind of outcome. */
const FAULTS: readonly FaultRow[] = [
  ['that is cut in the middle', () => ({ kind: 'cut', afterBytes: 500 }), /gave no complete answer/],
  ['that ends too early, compressed', () => ({ kind: 'truncate', afterBytes: 400 }), /no complete answer|final "]"/],
  ['without its final bracket', () => replaced(JSON.stringify(batches).slice(0, -1)), /final "]"/],
  [
    'with an error element in the middle',
    () => replaced([batches[0], ERROR, batches[1]]),
    /INTERNAL \(500\): Internal error/,
  ],
  ['with only an error', () => replaced(ERROR), /INTERNAL \(500\)/],
  [
    'with a refusal in an array',
    () => ({
      kind: 'status',
      status: 400,
      body: '[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]',
    }),
    /INVALID_ARGUMENT \(400\): m/,
  ],
  ['that is an HTML page', () => ({ kind: 'html' }), /HTML page/],
  ['with something behind its end', () => replaced(`${JSON.stringify(batches)} x`), /between two batches/],
  ['that never comes', () => ({ kind: 'hang_after' }), /no answer within the time limit/],
  ['with text for a number', () => withInstead(/"clicks":"\d+"/, '"clicks":"many"'), /cannot store TEXT/],
  [
    'with rows that are an object',
    () => replaced([{ results: { a: 1 } }]),
    /A batch of the stream is invalid: expected JSON with \{results, /,
  ],
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
];

/** The same kinds at other places: only in the thorough run. */
const MORE_FAULTS: readonly FaultRow[] = [
  ['that is cut in its first bytes', () => ({ kind: 'cut', afterBytes: 5 }), /gave no complete answer/],
  ['that is empty, compressed', () => ({ kind: 'truncate', afterBytes: 0 }), /no complete answer|final "]"/],
  [
    'that is cut between two batches',
    () => replaced(`${JSON.stringify(batches.slice(0, 2)).slice(0, -1)},`),
    /final "]"/,
  ],
  ['with an error element at its end', () => ({ kind: 'error_element', afterBatches: 1 }), /answered [A-Z_]+ \(/],
  ['that is an error in an array', () => replaced([ERROR]), /INTERNAL \(500\)/],
  ['that is an HTML page with a status', () => ({ kind: 'html', status: 502 }), /HTTP 502 with an HTML page/],
  ['that is empty', () => replaced(''), /The answer is empty/],
  ['with true for a number', () => withInstead(/"clicks":"\d+"/, '"clicks":true'), /true or false/],
  ['with a number for a batch', () => replaced([7]), /expected JSON/],
];

describe('a faulty stream', () => {
  it.each([...FAULTS, ...MORE_FAULTS])(
    '%s leaves the slice unchanged, with a reason, and the next run removes the rest',
    async (_, faultOf, words) => {
      await cleanWorld();
      const world = await secondDay();
      const before = tablesOf(world);
      const fault = faultOf();
      spoil(world, fault);
      if (fault.kind === 'hang_after') await world.reconfigure(IMPATIENT);
      const result = await world.extract();
      expect(result.run.exitCode).toBe(1);
      expect(result.failures.length).toBeGreaterThan(0);
      expect(result.failures[0]).toMatch(words);
      expect(result.failures[0]).toContain(
        `stats of account ${EUR} was not read and is unchanged (2026-11-13 to 2026-11-19`,
      );
      expect(tablesOf(world)).toEqual(before);

      spoil(world, undefined);
      await world.reconfigure(CONFIG);
      const next = await world.extract();
      expect([next.failures, next.run.exitCode]).toEqual([[], 0]);
      expect(tablesOf(world)).toEqual(clean);
    },
  );

  it('that stalls is given up after the timeout, and the next run reads it in full', async () => {
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
    stalls = true;
    await world.reconfigure(IMPATIENT);
    const result = await world.extract();
    expect(result.failures).toEqual([expect.stringContaining('the answer stalled (UND_ERR_BODY_TIMEOUT)')]);
    expect(tablesOf(world)).toEqual(before);
    stalls = false;
    await world.reconfigure(CONFIG);
    await world.extract();
    expect(tablesOf(world)).toEqual(clean);
  });
});

type BatchesRow = readonly [sentence: string, body: () => unknown];

const BATCHES: readonly BatchesRow[] = [
  ['reversed', () => [...batches].reverse()],
  ['of one row each', () => batches.flatMap(({ results }) => results.map((row) => ({ results: [row] })))],
  ['and empty ones between them', () => batches.flatMap((batch) => [{ results: [] }, batch, {}])],
];

/** Only in the thorough run. */
const MORE_BATCHES: readonly BatchesRow[] = [
  ['joined to one', () => [{ results: batches.flatMap(({ results }) => results) }]],
];

describe('a stream in batches', () => {
  it.each([...BATCHES, ...MORE_BATCHES])('%s brings the same rows, at once and again', async (_, bodyOf) => {
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

describe('a stream with rows of one key', () => {
  it.each<BatchesRow>([
    ['all batches twice', () => [...batches, ...batches]],
    ['the last batch twice', () => [...[...batches].reverse(), batches[0]]],
    ['each batch twice in a row', () => batches.flatMap((batch) => [batch, batch])],
    [
      'a row with two values',
      () => [{ results: [{ ...batches[0]?.results[0], metrics: { clicks: '77' } }] }, ...batches],
    ],
  ])('is refused: %s. The tables stay as they were', async (_, bodyOf) => {
    await cleanWorld();
    const world = await secondDay();
    await world.extract();
    const before = tablesOf(world);
    spoil(world, replaced(bodyOf()));
    expect((await world.extract()).failures.join()).toMatch(/rows have the same .* as another row/);
    expect(tablesOf(world)).toEqual(before);
  });
});
