import { mkdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { renderReportJson } from '../../src/views/report/render-json.ts';
import {
  type AccountsServiceOptions,
  accountNumber,
  accountsService,
  type OnStream,
  STATS_QUERY,
  statsRow,
} from '../support/accounts-service.ts';
import { extractIn } from '../support/extract-in.ts';
import { fakeClock, fakePauses } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { writeFolder } from '../support/world.ts';

const NOON = '2026-11-20T12:00:00Z';
const RULE = `description: One.
from: stats
for: campaign
over: 1 days
when: clicks >= 0
currency: EUR
change: decrease budget by 1%
limits: { floor: 5, ceiling: 200, step: 20% }
mode: propose
`;

async function place(
  service: AccountsServiceOptions,
  config = '',
  queries: Readonly<Record<string, string>> = { 'stats.sql': STATS_QUERY },
) {
  const folder = tempDir();
  writeFolder(folder, 'queries', queries);
  mkdirSync(join(folder, 'rules'));
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  const stub = await accountsService(service);
  const clock = fakeClock(NOON);
  const pauses = fakePauses();
  const log: string[] = [];
  const here = { folder, env: stub.env, clock, pauses, onLog: (line: string) => void log.push(line) };
  const rows = (sql: string) => {
    const database = new Database(join(folder, 'data', 'state.sqlite'), { readonly: true });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };
  return { ...here, stub, log, rows, run: (options = {}) => extractIn(here, options) };
}

/** Holds streams until as many are open as may be, and some turns longer, so that one too many would be seen. */
function holdUntil(many: number, all: number): OnStream {
  const held: (() => void)[] = [];
  let asked = 0;
  return (customer, _response, end) => {
    asked += 1;
    held.push(() => end([statsRow('2026-11-19', Number(customer.slice(-2)))]));
    const release = () => {
      for (const go of held.splice(0)) go();
    };
    if (held.length >= Math.min(many, all - asked + held.length)) turns(20, release);
  };
}

function turns(left: number, then: () => void): void {
  setImmediate(() => (left === 0 ? then() : turns(left - 1, then)));
}

describe('many accounts', () => {
  it.each([1, 3, 8])('are read at most %d at once, and all rows are right', async (most) => {
    const { run, rows, stub } = await place(
      { accounts: 24, onStream: holdUntil(most, 24) },
      `extract: { concurrency: ${most} }`,
    );
    expect((await run()).failures).toEqual([]);
    expect(stub.inFlightMax()).toBe(most);
    const expected = Array.from({ length: 24 }, (_, index) => ({
      customer_id: Number(accountNumber(index)),
      clicks: index + 1,
    }));
    expect(rows('SELECT customer_id, clicks FROM stats ORDER BY 1')).toEqual(expected);
  });

  it('are ordered by value: first those whose rules wait for missing days', async () => {
    const { run, clock, stub, folder } = await place({ accounts: 4 }, 'extract: { concurrency: 1 }');
    const [daily, missed, never, other] = [0, 1, 2, 3].map(accountNumber);
    await run({ customers: [daily, missed, other] as never });
    clock.set('2026-11-23T12:00:00Z');
    await run({ customers: [daily, other] as never });
    clock.set('2026-11-24T12:00:00Z');
    stub.streams.length = 0;
    await run();
    expect(stub.streams).toEqual([missed, never, daily, other]);

    writeFileSync(join(folder, 'rules', 'one.yaml'), RULE);
    clock.set('2026-11-26T12:00:00Z');
    await run({ customers: [daily] as never });
    clock.set('2026-11-27T12:00:00Z');
    stub.streams.length = 0;
    await run();
    expect(stub.streams).toEqual([missed, never, other, daily]);
  });

  it.each<[sentence: string, spoil: (response: ServerResponse) => void]>([
    ['refuses', (response) => void response.writeHead(403).end('{"error":{"code":403,"status":"PERMISSION_DENIED"}}')],
    ['is not found', (response) => void response.writeHead(404).end('{"error":{"code":404,"status":"NOT_FOUND"}}')],
    ['fails', (response) => void response.writeHead(500).end('{"error":{"code":500,"status":"INTERNAL"}}')],
    ['closes the connection', (response) => void response.socket?.destroy()],
  ])('continue if one %s: summary, record and JSON name it, and the next run reads it', async (_words, spoil) => {
    let bad = true;
    const customer = accountNumber(1);
    const { run, rows, stub } = await place(
      {
        accounts: 5,
        onStream: (id, response, end) => (id === customer && bad ? spoil(response) : end([statsRow('2026-11-19', 7)])),
      },
      'ads: { retry: { attempts: 2, first_delay_ms: 10 } }',
    );
    const result = await run();
    expect(result.run.exitCode).toBe(1);
    expect(result.failures).toEqual([expect.stringContaining(`stats of account ${customer} was not read`)]);
    expect(rows('SELECT count(*) AS accounts FROM stats')).toEqual([{ accounts: 4 }]);
    expect(rows('SELECT error, state FROM run')).toEqual([{ error: result.failures[0], state: 'failed' }]);
    const told = JSON.parse(renderReportJson(result)).slices;
    expect(told.filter((one: { failure: unknown }) => one.failure !== null)).toMatchObject([{ customer_id: customer }]);

    bad = false;
    stub.streams.length = 0;
    expect((await run({ scope: { kind: 'resume', range: undefined } })).failures).toEqual([]);
    expect(stub.streams).toEqual([customer]);
    expect(rows('SELECT count(*) AS accounts FROM stats')).toEqual([{ accounts: 5 }]);
  });

  it('continue if one hangs', async () => {
    const { run, rows } = await place(
      {
        accounts: 5,
        onStream: (id, _response, end) => (id === accountNumber(2) ? undefined : end([statsRow('2026-11-19', 7)])),
      },
      'ads: { retry: { attempts: 1, total_ms: 1000 } }',
    );
    expect((await run()).failures).toEqual([
      expect.stringMatching(/^stats of account 1000000003 was not read .*UND_ERR_HEADERS_TIMEOUT/),
    ]);
    expect(rows('SELECT count(*) AS accounts FROM stats')).toEqual([{ accounts: 4 }]);
  });

  it('skip the other slices of one that refuses, and say so', async () => {
    const { run, rows, stub } = await place({
      accounts: 2,
      onStream: (id, response, end) =>
        id === accountNumber(0)
          ? response.writeHead(403).end('{"error":{"code":403,"status":"PERMISSION_DENIED"}}')
          : end([]),
    });
    const range = { from: '2026-01-01', to: '2026-03-31' } as never;
    const result = await run({ scope: { kind: 'range', range } });
    expect(result.failures).toEqual([
      expect.stringContaining('stats of account 1000000001 was not read'),
      '2 parts of account 1000000001 were left for the next run: the account was skipped for the rest of this run.',
    ]);
    expect(stub.streams.filter((id) => id === accountNumber(0))).toHaveLength(1);
    expect(rows('SELECT state, count(*) AS slices FROM slice GROUP BY 1')).toEqual([
      { state: 'done', slices: 3 },
      { state: 'failed', slices: 1 },
      { state: 'planned', slices: 2 },
    ]);
  });

  it('are still read if one query needs a permission that the account lacks', async () => {
    const denied =
      '{"error":{"code":403,"status":"PERMISSION_DENIED","details":[{"errors":[{"errorCode":{"authorizationError":"METRIC_ACCESS_DENIED"}}]}]}}';
    const { run, stub } = await place(
      {
        accounts: 1,
        onStream: (_id, response, end) =>
          stub.texts.at(-1)?.includes('impressions') ? response.writeHead(403).end(denied) : end([]),
      },
      '',
      {
        'a.sql': STATS_QUERY.replace('metrics.clicks', 'metrics.impressions'),
        'b.sql': STATS_QUERY,
        'c.sql': STATS_QUERY,
      },
    );
    expect((await run()).failures).toEqual([expect.stringContaining('a of account 1000000001 was not read')]);
    expect(stub.texts).toHaveLength(3);
  });
});

describe('the quota', () => {
  const exhausted = (retryDelay: string, code = 'RESOURCE_TEMPORARILY_EXHAUSTED') =>
    JSON.stringify({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Too many requests.',
        details: [
          {
            errors: [{ errorCode: { quotaError: code }, message: 'x', details: { quotaErrorDetails: { retryDelay } } }],
          },
        ],
      },
    });
  const BARE = '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Too many requests."}}';
  const DAILY =
    '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"errors":[{"errorCode":{"quotaError":"RESOURCE_EXHAUSTED"}}]}]}}';

  /** 429 with that body from the n-th stream on, as often as it says. */
  const refusingFrom = (stream: number, times: number, body: string) => {
    let asked = 0;
    let refused = 0;
    const onStream: OnStream = (_id, response, end) => {
      asked += 1;
      if (asked < stream || refused >= times) return end([statsRow('2026-11-19', 7)]);
      refused += 1;
      response.writeHead(429, { 'content-type': 'application/json' }).end(body);
    };
    return onStream;
  };

  it('makes the run wait if it is soon available again', async () => {
    const { run, pauses } = await place({ accounts: 3, onStream: refusingFrom(2, 1, exhausted('30s')) });
    expect((await run()).failures).toEqual([]);
    expect(pauses.taken).toEqual([30_000]);
  });

  it.each([
    [
      'asks for a pause of an hour',
      exhausted('3600s'),
      1,
      'the service asks for a pause of 60 minutes (RESOURCE_EXHAUSTED)',
    ],
    [
      'says that the daily quota is used up, with a short delay',
      exhausted('1s', 'RESOURCE_EXHAUSTED'),
      1,
      'the service reports that the daily quota is used up (RESOURCE_EXHAUSTED)',
    ],
    ['says that the daily quota is used up', DAILY, 1, 'the service asks for a pause of 24 hours (RESOURCE_EXHAUSTED)'],
  ])('ends the run early if the service %s; the next run reads the rest', async (_words, body, tries, reason) => {
    const config = 'extract: { concurrency: 1 }\nads: { retry: { attempts: 2, first_delay_ms: 10 } }';
    const { run, stub, rows } = await place({ accounts: 40, onStream: refusingFrom(11, tries, body) }, config);
    const result = await run();
    expect(result.run.exitCode).toBe(1);
    expect(result.failures).toEqual([`30 parts of 30 accounts were left for the next run: ${reason}.`]);
    expect(stub.streams).toHaveLength(10 + tries);
    expect(rows("SELECT count(*) AS left FROM slice WHERE state = 'planned'")).toEqual([{ left: 30 }]);
    stub.streams.length = 0;
    expect((await run({ scope: { kind: 'resume', range: undefined } })).failures).toEqual([]);
    expect(stub.streams).toHaveLength(30);
    expect(rows('SELECT count(*) AS accounts FROM stats')).toEqual([{ accounts: 40 }]);
  });

  it('of one account leaves that account for the next run; the others are read', async () => {
    const config = 'ads: { retry: { attempts: 2, first_delay_ms: 10 } }';
    const onStream: OnStream = (id, response, end) =>
      id === accountNumber(1)
        ? response.writeHead(429, { 'content-type': 'application/json' }).end(exhausted('1s'))
        : end([statsRow('2026-11-19', 7)]);
    const { run, rows } = await place({ accounts: 8, onStream }, config);
    const result = await run();
    expect(result.failures).toEqual([
      '1 part of account 1000000002 was left for the next run: the service accepts no more requests for the account for now (RESOURCE_EXHAUSTED).',
    ]);
    expect(rows('SELECT count(*) AS accounts FROM stats')).toEqual([{ accounts: 7 }]);
    expect(rows("SELECT count(*) AS left FROM slice WHERE state = 'planned'")).toEqual([{ left: 1 }]);
  });

  it.each([['1s'], [undefined]])('of three accounts, with a delay of %s, ends the run', async (delay) => {
    const config = 'extract: { concurrency: 1 }\nads: { retry: { attempts: 2, first_delay_ms: 10 } }';
    const body = delay === undefined ? BARE : exhausted(delay);
    const { run, stub } = await place({ accounts: 40, onStream: refusingFrom(11, 99, body) }, config);
    expect((await run()).failures).toEqual([
      expect.stringMatching(/^2 parts of .* the service accepts no more requests for the account for now/),
      expect.stringMatching(
        /^28 parts of 28 accounts were left for the next run: the service accepts no more requests for/,
      ),
    ]);
    expect(stub.streams).toHaveLength(10 + 3 * 2);
  });

  it('also stops accounts that are in the middle of their slices', async () => {
    const { run, stub } = await place(
      { accounts: 8, onStream: refusingFrom(8, 99, exhausted('3600s')) },
      'extract: { concurrency: 4 }',
    );
    await run({ scope: { kind: 'range', range: { from: '2026-01-01', to: '2026-06-30' } as never } });
    expect(stub.streams.length).toBeLessThanOrEqual(8 + 3);
  });

  it('from the settings counts 24 hours of runs, including failures and retries, and is never exceeded', async () => {
    // Each of the 40 accounts costs one operation before its stream, and the first run asks for the units of currencies.
    const config = 'ads: { access: 100, retry: { attempts: 3, first_delay_ms: 10 } }';
    const onStream: OnStream = (id, response, end) =>
      id === accountNumber(0)
        ? response.writeHead(500).end('{"error":{"code":500,"status":"INTERNAL"}}')
        : end([statsRow('2026-11-19', 7)]);
    const { run, stub, rows, clock } = await place({ accounts: 40, onStream }, config);
    await run();
    expect(rows('SELECT operations FROM run')).toEqual([{ operations: 83 }]);
    stub.streams.length = 0;
    clock.set('2026-11-21T11:00:00Z');
    const second = await run();
    expect(stub.streams).toEqual([]);
    expect(second.failures).toEqual([
      '40 parts of 40 accounts were left for the next run: the 100 operations of ads.access were used up in the last 24 hours.',
    ]);
    clock.set('2026-11-22T12:00:00Z');
    await run();
    expect(stub.streams.length).toBeGreaterThan(40);
  });

  it.each([1, 4, 16])('from the settings is kept with %d accounts at once', async (concurrency) => {
    const config = `ads: { access: 50 }\nextract: { concurrency: ${concurrency} }`;
    const { run, stub, rows } = await place({ accounts: 40 }, config);
    const result = await run();
    expect(stub.streams).toHaveLength(9);
    expect(rows('SELECT operations FROM run')).toEqual([{ operations: 50 }]);
    expect(result.failures).toEqual([
      '31 parts of 31 accounts were left for the next run: the 50 operations of ads.access were used up in the last 24 hours.',
    ]);
  });

  it('from the settings is kept if every request is retried', async () => {
    const onStream: OnStream = (_id, response) =>
      void response.writeHead(500).end('{"error":{"code":500,"status":"INTERNAL"}}');
    const config = 'ads: { access: 15, retry: { attempts: 4, first_delay_ms: 10 } }';
    const { run, rows } = await place({ accounts: 10, onStream }, config);
    await run();
    expect(rows('SELECT operations FROM run')).toEqual([{ operations: 15 }]);
  });

  it('from the settings counts the requests of a run that died', async () => {
    const config = 'ads: { access: 100 }';
    const { run, stub, rows, folder } = await place({ accounts: 40 }, config);
    await run();
    // What a killed process leaves: its run as running.
    const database = new Database(join(folder, 'data', 'state.sqlite'));
    expect(rows('SELECT operations FROM run')).toEqual([{ operations: 81 }]);
    database.exec("UPDATE run SET state = 'running', ended_at = NULL, operations = 0");
    database.close();
    stub.streams.length = 0;
    await run();
    // 40 streams of the dead run are known; what it asked besides is not.
    expect(stub.streams).toHaveLength(19);
  });
});
