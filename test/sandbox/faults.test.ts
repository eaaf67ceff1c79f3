import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { EUR, freshSandbox, mutate, ownBudget, search, setAmount } from './sandbox-client.ts';

const QUERY =
  'SELECT ad_group_criterion.criterion_id, ad_group_criterion.keyword.text, metrics.clicks, metrics.impressions, segments.date FROM keyword_view WHERE segments.date DURING LAST_30_DAYS';

interface RawAnswer {
  readonly status: number;
  readonly bytes: Buffer;
  readonly clean: boolean;
  readonly contentLength: string | undefined;
}

/** Reads what comes, however it ends. */
function rawSearch(sandbox: Sandbox, acceptEncoding = 'identity'): Promise<RawAnswer> {
  const body = JSON.stringify({ query: QUERY });
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${sandbox.url}/v21/customers/${EUR}/googleAds:searchStream`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${sandbox.credentials.accessToken}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'accept-encoding': acceptEncoding,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', () => undefined);
        response.on('close', () =>
          resolve({
            status: response.statusCode ?? 0,
            bytes: Buffer.concat(chunks),
            clean: response.complete,
            contentLength: response.headers['content-length'],
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const sandboxWith = (fault: Fault) => freshSandbox({ fault: () => fault });

describe('stream faults', () => {
  it('cut: the first bytes, then the connection breaks', async () => {
    const [whole, broken] = await Promise.all([
      rawSearch(await freshSandbox()),
      rawSearch(await sandboxWith({ kind: 'cut', afterBytes: 200_000 })),
    ]);
    expect(whole.clean).toBe(true);
    expect(broken).toMatchObject({ status: 200, clean: false });
    expect(broken.bytes.equals(whole.bytes.subarray(0, 200_000))).toBe(true);
  });

  it('cut after 0 bytes: sends headers only', async () => {
    const broken = await rawSearch(await sandboxWith({ kind: 'cut', afterBytes: 0 }));
    expect(broken).toMatchObject({ status: 200, clean: false });
    expect(broken.bytes.length).toBe(0);
  });

  it('cut after more bytes than the body has: only the end is missing', async () => {
    const broken = await rawSearch(await sandboxWith({ kind: 'cut', afterBytes: 1e9 }));
    expect(broken.clean).toBe(false);
    expect(JSON.parse(broken.bytes.toString()).length).toBe(2);
  });

  it('truncate: a clean end without the final bracket', async () => {
    const short = await rawSearch(await sandboxWith({ kind: 'truncate', afterBytes: 200_000 }));
    expect(short).toMatchObject({ status: 200, clean: true, contentLength: undefined });
    expect(short.bytes.length).toBe(200_000);
    expect(() => JSON.parse(short.bytes.toString())).toThrow();
  });

  it('truncate with gzip: ends the compressed bytes early', async () => {
    const short = await rawSearch(await sandboxWith({ kind: 'truncate', afterBytes: 20_000 }), 'gzip');
    expect(short.clean).toBe(true);
    expect(short.bytes.length).toBe(20_000);
    expect(() => gunzipSync(short.bytes)).toThrow('unexpected end of file');
  });

  it('B15: error_element: sends some batches, then an error, then a clean end', async () => {
    const answer = await search(await sandboxWith({ kind: 'error_element', afterBatches: 1 }), EUR, QUERY);
    expect(answer.status).toBe(200);
    expect(answer.json).toHaveLength(2);
    expect(answer.json[0].results).toHaveLength(10_000);
    expect(answer.json[1].error).toMatchObject({
      code: 500,
      status: 'INTERNAL',
      details: [
        {
          requestId: expect.any(String),
          errors: [{ message: expect.any(String), location: { fieldPathElements: [{ fieldName: 'query' }] } }],
        },
      ],
    });
  });
});

describe('faults of any request', () => {
  const change = async (sandbox: Sandbox) => {
    const { budgetId, amountMicros } = ownBudget(sandbox, EUR);
    const sent = mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '20000000')] });
    return { sent, done: () => sandbox.budgetAmount(EUR, budgetId) !== amountMicros };
  };

  it.each<[fault: Fault, done: boolean]>([
    [{ kind: 'reset_before' }, false],
    [{ kind: 'reset_after' }, true],
  ])('%j: breaks the connection; the work was done: %s', async (fault, done) => {
    const attempt = await change(await sandboxWith(fault));
    await expect(attempt.sent).rejects.toThrow('fetch failed');
    expect(attempt.done()).toBe(done);
  });

  it.each<[fault: Fault, done: boolean]>([
    [{ kind: 'hang_before' }, false],
    [{ kind: 'hang_after' }, true],
  ])('%j: never answers until the sandbox closes; the work was done: %s', async (fault, done) => {
    const asked: string[] = [];
    let received: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => {
      received = resolve;
    });
    const sandbox = await freshSandbox({
      fault: ({ kind }) => {
        asked.push(kind);
        setImmediate(received);
        return fault;
      },
    });
    const attempt = await change(sandbox);
    const failed = expect(attempt.sent).rejects.toThrow('fetch failed');
    await arrival;
    expect(asked).toEqual(['mutate']);
    expect(attempt.done()).toBe(done);
    await sandbox.close();
    await failed;
  });

  it.each<[fault: Fault, status: number, text: string]>([
    [
      { kind: 'status', status: 503, body: '{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}' },
      503,
      'UNAVAILABLE',
    ],
    [{ kind: 'html' }, 200, '<!DOCTYPE html>'],
    [{ kind: 'html', status: 502 }, 502, '<!DOCTYPE html>'],
  ])('%j is the answer instead of the work', async (fault, status, text) => {
    const attempt = await change(await sandboxWith(fault));
    const answer = await attempt.sent;
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
    expect(attempt.done()).toBe(false);
  });

  it('status: has its own type and headers', async () => {
    const fault: Fault = { kind: 'status', status: 429, contentType: 'text/plain', headers: { 'retry-after': '30' } };
    const answer = await (await change(await sandboxWith(fault))).sent;
    expect([answer.headers.get('retry-after'), answer.headers.get('content-type')]).toEqual(['30', 'text/plain']);
  });

  it('replace: does the work and sends another answer', async () => {
    const attempt = await change(await sandboxWith({ kind: 'replace', body: '{"results":"?"}' }));
    expect((await attempt.sent).json).toEqual({ results: '?' });
    expect(attempt.done()).toBe(true);
  });

  it('is asked once per request and may skip some', async () => {
    let asked = 0;
    const sandbox = await freshSandbox({
      fault: () => {
        asked += 1;
        return asked === 1 ? { kind: 'status', status: 500 } : undefined;
      },
    });
    expect((await search(sandbox, EUR, 'SELECT campaign.id FROM campaign')).status).toBe(500);
    expect((await search(sandbox, EUR, 'SELECT campaign.id FROM campaign')).status).toBe(200);
    expect(asked).toBe(2);
  });
});
