import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import { EUR, freshSandbox, mutate, openSandbox, ownBudget, post, search, setAmount, USD } from './sandbox-client.ts';

// Without days the sandbox sums all it has, which takes ten times as long.
const QUERY = 'SELECT campaign.id, campaign.name, metrics.clicks FROM campaign WHERE segments.date DURING LAST_7_DAYS';
const PATH = `/v25/customers/${EUR}/googleAds:searchStream`;

interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  /** The code of what ended the answer early; undefined for a clean end. */
  readonly error: string | undefined;
}

/** A query's answer as it comes, however it ends. */
async function onTheWire(
  options: Partial<SandboxOptions>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Wire> {
  const { url, credentials } = await freshSandbox(options);
  const body = JSON.stringify({ query: QUERY });
  const own = { authorization: `Bearer ${credentials.accessToken}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = { ...own, 'content-length': Buffer.byteLength(body), 'accept-encoding': 'identity', ...headers };
    const outgoing = request(url + PATH, { method: 'POST', headers: sent }, (response) => {
      const parts: Buffer[] = [];
      let error: string | undefined;
      const failed = (cause: NodeJS.ErrnoException) => {
        error ??= cause.code;
      };
      outgoing.off('error', reject).on('error', failed);
      response.on('data', (part: Buffer) => parts.push(part)).on('error', failed);
      const { statusCode: status = 0, headers: received } = response;
      response.on('close', () => resolve({ status, headers: received, bytes: Buffer.concat(parts), error }));
    });
    outgoing.on('error', reject).end(body);
  });
}

const under = (fault: string, headers?: Readonly<Record<string, string>>) => onTheWire({ faults: [fault] }, headers);

describe('a named fault', () => {
  it.each<[fault: string, sentence: string, expected: Partial<Wire> | ((wire: Wire, whole: Buffer) => void)]>([
    ['reset-at,bytes=100', 'resets the connection without ending it', { status: 200, error: 'ECONNRESET' }],
    ['length-long', 'announces more bytes than it sends', { error: 'ECONNRESET' }],
    ['bad-chunk,bytes=100', 'sends an invalid chunk', { error: 'HPE_INVALID_CHUNK_SIZE' }],
    [
      'drip,piece=500,pause=0',
      'sends everything',
      ({ bytes, error }, whole) => expect([bytes.equals(whole), error]).toEqual([true, undefined]),
    ],
    [
      'length-short,bytes=10',
      'announces fewer bytes than it sends',
      ({ headers, bytes }, whole) =>
        expect([headers['content-length'], bytes.length]).toEqual([String(whole.length - 10), whole.length - 10]),
    ],
    ['gzip-flip', 'sends gzip with a broken middle', ({ bytes }) => expect(() => gunzipSync(bytes)).toThrow()],
    ['gzip-cut', 'omits the end of the gzip', ({ bytes }) => expect(() => gunzipSync(bytes)).toThrow('unexpected end')],
    [
      'gzip-plain',
      'declares gzip and sends plain text',
      ({ headers, bytes }, whole) => expect([headers['content-encoding'], bytes.equals(whole)]).toEqual(['gzip', true]),
    ],
    [
      '429,wait=7200',
      'asks to retry later',
      ({ status, headers }) => expect([status, headers['retry-after']]).toEqual([429, '7200']),
    ],
    [
      '429-date,wait=60',
      'asks to retry by the sandbox’s clock',
      ({ headers }) =>
        expect([headers.date, headers['retry-after']]).toEqual([
          'Fri, 20 Nov 2026 12:00:00 GMT',
          'Fri, 20 Nov 2026 12:01:00 GMT',
        ]),
    ],
    [
      '404',
      'sends a page',
      ({ status, bytes }) => expect([status, bytes.toString()]).toEqual([404, expect.stringContaining('<!DOCTYPE')]),
    ],
  ])('%s: %s', async (fault, _, expected) => {
    const wire = await under(fault);
    if (typeof expected === 'function') expected(wire, (await onTheWire({})).bytes);
    else expect(wire).toMatchObject(expected);
  });

  it('affects only the named place and request', async () => {
    const sandbox = await freshSandbox({ faults: ['503,at=stream,nth=2', '500,at=mutate', '404,at=list,every=2'] });
    const { budgetId } = ownBudget(sandbox, EUR);
    const list = () => fetch(`${sandbox.url}/v25/customers:listAccessibleCustomers`).then(({ status }) => status);
    const ask = async () => (await search(sandbox, EUR, QUERY)).status;
    const change = async (validateOnly: boolean) =>
      (await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '20000000')], validateOnly })).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 503, 200]);
    expect([await change(true), await change(false)]).toEqual([200, 500]);
    expect([await list(), await list(), await list(), await list()]).toEqual([401, 404, 401, 404]);
  });

  it('token-expires: a token serves a number of requests, and so does its successor', async () => {
    const sandbox = await freshSandbox({ faults: ['token-expires,at=stream,after=2'] });
    const ask = async () => (await search(sandbox, EUR, QUERY)).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 401]);
    const other = { authorization: 'Bearer another' };
    const text = (await post(sandbox, PATH, { query: QUERY }, other)).text;
    expect(text).not.toContain('The token has expired.');
  });

  it('token-expires: requests without a token, such as for a new token, do not count', async () => {
    const { url, credentials } = await freshSandbox({ faults: ['token-expires,after=0'] });
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: credentials.refreshToken,
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    });
    expect((await fetch(`${url}/token`, { method: 'POST', body })).status).toBe(200);
  });

  it('other-account: sends another account’s rows, and reports a change as another account’s', async () => {
    const rows = await search(await freshSandbox({ faults: ['other-account'] }), EUR, QUERY);
    expect([rows.status, rows.text.includes(`customers/${USD}/`), rows.text.includes(`customers/${EUR}/`)]).toEqual([
      200,
      true,
      false,
    ]);
    const sandbox = await freshSandbox({ faults: ['other-account,at=mutate'] });
    const { budgetId } = ownBudget(sandbox, EUR);
    const changed = await mutate(sandbox, EUR, { operations: [setAmount(EUR, budgetId, '20000000')] });
    expect(changed.text).toContain(`customers/${USD}/campaignBudgets/${budgetId}`);
    expect(sandbox.budgetAmount(EUR, budgetId)).toBe(20_000_000n);
  });
});

describe('a fault in a request’s header', () => {
  it('affects that request alone', async () => {
    const sandbox = await freshSandbox();
    const ask = (headers: Readonly<Record<string, string>>) => post(sandbox, PATH, { query: QUERY }, headers);
    expect((await ask({ 'x-sandbox-fault': '503' })).status).toBe(503);
    expect((await ask({})).status).toBe(200);
  });

  it.each([
    ['503,nth=2', 'need several requests'],
    ['nonsense', 'found \\"nonsense\\", expected one of'],
  ])('is refused when invalid: %s', async (text, words) => {
    const answer = await post(await freshSandbox(), PATH, { query: QUERY }, { 'x-sandbox-fault': text });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)]);
  });
});

describe('an invalid fault', () => {
  it.each([
    ['sleep', 'found "sleep", expected one of'],
    ['cut,at=moon', 'expected at=any|stream'],
    ['cut,wait=3', 'found "wait=3", expected one of at, nth, every, bytes'],
    ['cut,bytes=many', 'found bytes="many", expected a whole number'],
    ['429,wait=99999999999', 'found wait=99999999999, expected wait to be at most 999999999.'],
    [`cut,bytes=${'9'.repeat(20)}`, `found bytes=${'9'.repeat(20)}, expected bytes to be at most 999999999.`],
    ['drip,piece=0', 'found piece=0, expected piece to be at least 1'],
    ['cut,nth=1,every=2', 'expected only one of nth and every'],
  ])('does not start a sandbox: %s', async (text, words) => {
    await expect(openSandbox({ faults: [text] })).rejects.toThrow(words);
  });
});
