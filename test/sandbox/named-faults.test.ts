import { describe, expect, it } from 'vitest';
import { EUR, freshSandbox, mutate, openSandbox, ownBudget, post, search, setAmount, USD } from './sandbox-client.ts';

// Without days the sandbox sums all it has, which takes ten times as long.
const QUERY = 'SELECT campaign.id, campaign.name, metrics.clicks FROM campaign WHERE segments.date DURING LAST_7_DAYS';
const PATH = `/v25/customers/${EUR}/googleAds:searchStream`;

describe('a named fault', () => {
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
