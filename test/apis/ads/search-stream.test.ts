import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { explainFailure } from '../../../src/domain/errors.ts';
import { customerId } from '../../../src/domain/ids.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import type { AdsConnection } from '../../../src/services/ads/ads-connection.ts';
import { type StreamEnd, searchStream } from '../../../src/services/ads/search-stream.ts';
import { failureOf } from '../../http/test-client.ts';
import { EUR, freshSandbox, rowsOf } from '../../sandbox/sandbox-client.ts';
import { endless, stubServer } from '../../support/stub-server.ts';
import { CUSTOMER, connectTo, connectToSandbox, errorBody, QUERY } from './ads-client.ts';

const KEYWORDS =
  'SELECT ad_group_criterion.criterion_id, metrics.clicks, segments.date FROM keyword_view WHERE segments.date DURING LAST_7_DAYS';
/** More than one batch. */
const MORE_KEYWORDS = KEYWORDS.replace('LAST_7_DAYS', 'LAST_30_DAYS');

interface Read {
  readonly rows: readonly unknown[];
  readonly end: StreamEnd;
}

const BYTES_MAX = 64 * 1024 * 1024;

async function readAll(ads: AdsConnection, customer = CUSTOMER, query = QUERY, bytesMax = BYTES_MAX): Promise<Read> {
  const stream = searchStream(ads, customer, query, bytesMax);
  const pieces: string[] = [];
  for (;;) {
    const step = await stream.next();
    if (step.done) return { rows: pieces.flatMap((piece) => JSON.parse(piece)), end: step.value };
    pieces.push(Buffer.from(step.value.json).toString('utf8'));
  }
}

async function answered(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Read> {
  const { url } = await stubServer((_, response) => response.writeHead(200, { ...headers }).end(body));
  return readAll(connectTo(url));
}

describe('a query', () => {
  it('B9, B13: is sent as JSON to the stream of its account', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('[]'));
    await readAll(connectTo(url), CUSTOMER, "SELECT a FROM b WHERE c = 'ö\"'");
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/v21/customers/1234567890/googleAds:searchStream',
        body: '{"query":"SELECT a FROM b WHERE c = \'ö\\"\'"}',
      },
    ]);
  });

  it('B17: goes to the version and the stream path of the settings', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('[]'));
    await readAll(connectTo(url, { version: 'v11', streamPath: 'reports/stream:run' }));
    expect(requests[0]?.path).toBe('/v11/customers/1234567890/reports/stream:run');
  });
});

describe('a complete stream', () => {
  it('B14: yields the rows of all batches and the last request id', async () => {
    const body = '[{"results":[{"a":"1"},{"a":"2"}],"requestId":"r1"},\n{"results":[{"a":"3"}],"requestId":"r2"}]';
    expect(await answered(body, { 'request-id': 'header' })).toEqual({
      rows: [{ a: '1' }, { a: '2' }, { a: '3' }],
      end: { batches: 2, bytes: body.length, requestId: 'r2' },
    });
  });

  it('repeats no secret in its request id', async () => {
    const { end } = await answered('[{"requestId":"of access-token-1"}]');
    expect(end).toMatchObject({ requestId: 'of [redacted]' });
  });

  it.each([
    ['of no batches', '[]', 0],
    ['of a batch without results', '[{"fieldMask":"a"}]', 1],
    ['of a batch of zero rows', '[{"results":[ ]}]', 1],
    ['with a summary and costs beside the rows', '[{"summaryRow":{"a":1},"queryResourceConsumption":"7"}]', 1],
  ])('B14: may have no rows: %s', async (_, body, batches) => {
    expect(await answered(body, { 'request-id': 'header' })).toEqual({
      rows: [],
      end: { batches, bytes: body.length, requestId: 'header' },
    });
  });

  it('B14: yields every row of the sandbox, from a compressed answer', async () => {
    const sandbox = await freshSandbox();
    const { rows, end } = await readAll(connectToSandbox(sandbox), customerId(EUR), MORE_KEYWORDS);
    expect(rows).toEqual(await rowsOf(sandbox, EUR, MORE_KEYWORDS));
    expect(rows.length).toBeGreaterThan(0);
    expect(end).toMatchObject({ requestId: 'sandbox-1' });
  });
});

describe('a failed stream', () => {
  const sandboxed = async (fault: Fault) => {
    const sandbox = await freshSandbox({ fault: () => fault });
    return readAll(connectToSandbox(sandbox), customerId(EUR), KEYWORDS);
  };

  it.each<[string, Fault, object]>([
    ['cut', { kind: 'cut', afterBytes: 3_000 }, { status: 'UND_ERR_SOCKET', transient: true }],
    ['cut before its first byte', { kind: 'cut', afterBytes: 0 }, { status: 'UND_ERR_SOCKET', transient: true }],
    [
      'compressed and ending early',
      { kind: 'truncate', afterBytes: 3_000 },
      { status: 'Z_BUF_ERROR', transient: true },
    ],
    ['reset instead of answered', { kind: 'reset_after' }, { status: 'ECONNRESET', transient: true }],
    ['ended by an error', { kind: 'error_element', afterBatches: 1 }, { status: 'INTERNAL', requestId: 'sandbox-1' }],
    ['compressed and wrong by a bit', { kind: 'bad_gzip', how: 'flip' }, { status: 'Z_DATA_ERROR', transient: true }],
    ['of another account', { kind: 'other_account' }, { status: 'WRONG_ANSWER', transient: true }],
    ['an HTML page', { kind: 'html' }, { status: 'HTML', transient: false }],
    ['an HTML page of a gateway', { kind: 'html', status: 502 }, { status: 'HTML', httpStatus: 502, transient: true }],
    ['an object', { kind: 'replace', body: '{"results":[{}]}' }, { status: 'TRUNCATED' }],
  ])('throws an error instead of ending: %s', async (_, fault, expected) => {
    expect(await failureOf(sandboxed(fault))).toMatchObject({ outcome: 'unknown', ...expected });
  });

  it.each([
    ['without its final bracket', '[{"results":[{"a":1}]}', { status: 'TRUNCATED', transient: true }],
    ['in the middle of a row', '[{"results":[{"a":', { status: 'TRUNCATED', transient: true }],
    ['without any byte', '', { status: 'EMPTY', transient: true }],
    ['with a comma too many', '[{"results":[{"a":1}]},]', { status: 'MALFORMED' }],
    ['with text after its end', '[{"results":[{"a":1}]}]{}', { status: 'MALFORMED' }],
    ['with results that are not an array', '[{"results":{"a":1}}]', { status: 'MALFORMED' }],
    ['with results under an escaped key', '[{"result\\u0073":[{"a":1}]}]', { status: 'MALFORMED' }],
    ['with a batch that is not JSON', '[{"results":[],"a":x}]', { status: 'MALFORMED' }],
    ['with an error of unknown shape', '[{"error":"No."}]', { status: 'MALFORMED' }],
  ])('never counts as complete: %s', async (_, body, expected) => {
    expect(await failureOf(answered(body))).toMatchObject({ outcome: 'unknown', ...expected });
  });

  it.each([
    ['a row', ['[{"results":[{"a":"', '"}]}]']],
    ['the rest of a batch', ['[{"results":[],"fieldMask":"', '"}]']],
  ])('is refused if its bytes are not UTF-8: in %s', async (_, [before = '', after = '']) => {
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xc3, 0x28]), Buffer.from(after)]);
    const error = await failureOf(answered(bytes));
    expect(error.message).toBe('The stream holds bytes that are not UTF-8.');
  });

  const failure = {
    errorCode: { queryError: 'EXPECTED_FILTERS_ON_DATE_RANGE' },
    message: 'A finite range is needed.',
    location: { fieldPathElements: [{ fieldName: 'query' }, { fieldName: 'where' }] },
  };
  const refusal = errorBody(400, 'INVALID_ARGUMENT', failure, { requestId: 'request-1' });

  it.each([
    ['with status 400, wrapped in an array', 400, [refusal]],
    ['with status 400, bare', 400, refusal],
    ['with status 200, as the only element', 200, [refusal]],
    ['with status 200, bare', 200, refusal],
    ['with status 200, after rows', 200, [{ results: [{ a: 1 }], requestId: 'r0' }, refusal]],
    ['with status 200, beside rows', 200, [{ results: [{ a: 1 }], ...refusal }]],
  ])('B15: gives request id, status, message and location: %s', async (_, status, body) => {
    const { url } = await stubServer((_request, response) => response.writeHead(status).end(JSON.stringify(body)));
    const error = await failureOf(readAll(connectTo(url)));
    expect(error).toMatchObject({
      httpStatus: 400,
      status: 'INVALID_ARGUMENT',
      requestId: 'request-1',
      transient: false,
      details: [
        {
          code: 'queryError.EXPECTED_FILTERS_ON_DATE_RANGE',
          message: 'A finite range is needed.',
          location: 'query.where',
        },
      ],
    });
    for (const part of ['INVALID_ARGUMENT', 'A finite range is needed.', 'query.where']) {
      expect(error.message).toContain(part);
    }
  });

  it('B15: in the middle has the request id of its own batch, or else of the batches before', async () => {
    const error = (more: object) => ({ error: { code: 500, status: 'INTERNAL' }, ...more });
    const idOf = async (...batches: readonly object[]) =>
      (await failureOf(answered(JSON.stringify(batches)))).requestId;
    expect(await idOf({ requestId: 'r1' }, error({ requestId: 'r2' }))).toBe('r2');
    expect(await idOf({ requestId: 'r1' }, error({}))).toBe('r1');
  });
});

describe('a stream without end', () => {
  const BOUND = 1_000_000;
  const tooLarge = { status: 'TOO_LARGE', transient: false, brokeOff: true, outcome: 'unknown' };

  it.each([
    ['rows', `{"results":[{"a":"${'x'.repeat(50_000)}"}]}`],
    ['batches without rows', `{"requestId":"${'x'.repeat(50_000)}"}`],
    ['batches of blanks', `{"results":[${' '.repeat(50_000)}]}`],
  ])('is refused and given up: of %s', async (_, element) => {
    let closed: Promise<unknown> | undefined;
    const { url } = await stubServer((_request, response) => {
      closed = once(response, 'close');
      endless(response, element);
    });
    const error = await failureOf(readAll(connectTo(url), CUSTOMER, QUERY, BOUND));
    expect(error).toMatchObject(tooLarge);
    expect(explainFailure(error)).toMatchInlineSnapshot(
      `"The answer to a query is larger than 1,000,000 bytes. Check the address in the settings. In your own query, select fewer fields or rows."`,
    );
    await closed;
  });

  it('is counted as it is once it is unpacked', async () => {
    const body = `[{"results":[{"a":"${'x'.repeat(BOUND)}"}]}]`;
    const { url, requests } = await stubServer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body)),
    );
    expect(await failureOf(readAll(connectTo(url), CUSTOMER, QUERY, BOUND))).toMatchObject(tooLarge);
    expect((await readAll(connectTo(url), CUSTOMER, QUERY, body.length)).end.bytes).toBe(body.length);
    expect(requests).toHaveLength(2);
  });
});

describe('a consumer', () => {
  const batch = `{"results":[{"a":"${'x'.repeat(100_000)}"}]}`;

  it.each([
    [
      'stops early',
      (stream: AsyncGenerator<unknown, StreamEnd>) => stream.return({ batches: 0, bytes: 0, requestId: undefined }),
    ],
    [
      'fails',
      (stream: AsyncGenerator<unknown, StreamEnd>) =>
        stream.throw(new Error('The disk is full.')).catch(() => undefined),
    ],
  ])('that %s ends the connection', async (_, stop) => {
    let closed: Promise<unknown> | undefined;
    const { url } = await stubServer((_request, response) => {
      closed = once(response, 'close');
      endless(response, batch);
    });
    const stream = searchStream(connectTo(url), CUSTOMER, QUERY, BYTES_MAX);
    expect((await stream.next()).done).toBe(false);
    await stop(stream);
    await closed;
  });

  it('gets the first rows while the service still works on the others', async () => {
    let finish = () => {};
    const { url } = await stubServer((_, response) => {
      response.write('[{"results":[{"a":1}]},');
      finish = () => response.end('{"results":[{"a":2}]}]');
    });
    const stream = searchStream(connectTo(url), CUSTOMER, QUERY, BYTES_MAX);
    const text = (step: IteratorResult<{ json: Uint8Array }, StreamEnd>) =>
      step.done ? step.value.batches : Buffer.from(step.value.json).toString();
    expect(text(await stream.next())).toBe('[{"a":1}]');
    finish();
    expect(text(await stream.next())).toBe('[{"a":2}]');
    expect(text(await stream.next())).toBe(2);
  });
});
