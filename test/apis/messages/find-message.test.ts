import { describe, expect, it } from 'vitest';
import { fetchMessage, findMessage } from '../../../src/channels/messages/find-message.ts';
import { InvariantError } from '../../../src/domain/errors.ts';
import { failureOf } from '../../http/test-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { connectTo, FROM, PASSWORD, SID, TO } from './messages-client.ts';

const WANTED = { to: TO, reference: 'pk-7K3QX2AB', sinceMs: Date.parse('2026-11-20T09:30:00Z') };
const OTHER = {
  sid: SID.replace('SM0', 'SM1'),
  status: 'delivered',
  body: 'Another.\nRef pk-AAAABBBB',
  error_code: null,
};
const OURS = { sid: SID, status: 'undelivered', body: 'Budget raised.\nRef pk-7K3QX2AB', error_code: 63016, to: TO };

/** Answers the pages in their order; `PAGE` in a body becomes the path of the list. */
async function listing(...pages: readonly (readonly [status: number, body: unknown])[]) {
  let page = 0;
  const server = await stubServer((_, response) => {
    const [status, body] = pages[Math.min(page, pages.length - 1)] ?? [500, ''];
    page += 1;
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { ...server, find: () => findMessage(connectTo(server.url), WANTED) };
}

const NEXT = '/2010-04-01/Accounts/AC1/Messages.json?PageSize=100&Page=1&PageToken=PA1';

describe('a message in doubt', () => {
  it('is looked up by recipient, sender and day, with our credentials', async () => {
    const { requests, find } = await listing([200, { messages: [OTHER, OURS] }]);
    expect(await find()).toEqual({ providerId: SID, status: 'undelivered', errorCode: '63016' });
    const [{ method, path, headers } = { method: '', path: '', headers: {} }] = requests;
    expect([method, path]).toEqual([
      'GET',
      '/2010-04-01/Accounts/AC1/Messages.json?To=whatsapp%3A%2B4915112345678&From=whatsapp%3A%2B15550100001' +
        '&PageSize=100&DateSent%3E=2026-11-20T00%3A00%3A00Z',
    ]);
    expect(headers.authorization).toBe(`Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`);
  });

  it('is also looked up on the day before, soon after midnight: clocks differ', async () => {
    const { url, requests } = await listing([200, { messages: [] }]);
    await findMessage(connectTo(url), { ...WANTED, sinceMs: Date.parse('2026-11-20T00:30:00Z') });
    expect(requests[0]?.path).toContain('DateSent%3E=2026-11-19T00');
  });

  it('is found despite a malformed status and code, which are hidden', async () => {
    const odd = { ...OURS, status: `failed ${PASSWORD}`, error_code: '9'.repeat(100_000) };
    const { find } = await listing([200, { messages: [{ ...OTHER, error_code: -1 }, odd] }]);
    expect(await find()).toEqual({ providerId: SID, status: undefined, errorCode: undefined });
  });

  it('is found on a later page of the same host', async () => {
    const first = { messages: [OTHER], next_page_uri: NEXT };
    const { requests, find } = await listing([200, first], [200, { messages: [OURS], next_page_uri: null }]);
    expect(await find()).toMatchObject({ providerId: SID });
    expect(requests.map(({ path }) => path)).toEqual([expect.stringContaining('To='), NEXT]);
  });

  it('is surely missing if no text of any page contains the reference', async () => {
    const first = { messages: [OTHER], next_page_uri: NEXT };
    const { requests, find } = await listing([200, first], [200, { messages: [] }]);
    expect(await find()).toBeUndefined();
    expect(requests).toHaveLength(3);
  });

  it('is found among the newest while it is queued and has no date', async () => {
    const { requests, find } = await listing([200, { messages: [] }], [200, { messages: [OTHER, OURS] }]);
    expect(await find()).toMatchObject({ providerId: SID });
    expect(requests.map(({ path }) => path.includes('DateSent'))).toEqual([true, false]);
  });

  const EARLIER = { ...OTHER, date_created: 'Thu, 19 Nov 2026 23:59:59 +0000' };
  const SINCE = { ...OTHER, date_created: 'Fri, 20 Nov 2026 09:31:00 +0000' };

  it('is found behind hundreds of newer queued messages', async () => {
    const full = [200, { messages: Array(100).fill(SINCE), next_page_uri: NEXT }] as const;
    const { find, requests } = await listing([200, { messages: [] }], full, full, [200, { messages: [SINCE, OURS] }]);
    expect(await find()).toMatchObject({ providerId: SID });
    expect(requests).toHaveLength(4);
  });

  it('is surely missing once messages of earlier days are reached', async () => {
    const pages = [[SINCE], [SINCE, EARLIER]].map((messages) => [200, { messages, next_page_uri: NEXT }] as const);
    const { find, requests } = await listing([200, { messages: [] }], ...pages);
    expect(await find()).toBeUndefined();
    expect(requests).toHaveLength(3);
  });

  it.each<[string, ...(readonly [number, unknown][])]>([
    [
      'more are queued than were read, without creation dates',
      [200, { messages: [] }],
      [200, { messages: [OTHER], next_page_uri: NEXT }],
    ],
    [
      'the date of the last message is invalid',
      [200, { messages: [] }],
      [200, { messages: [{ ...OTHER, date_created: 'yesterday' }], next_page_uri: NEXT }],
    ],
    ['the interface has no list', [404, '']],
    ['the credentials are refused', [401, { code: 20003 }]],
    ['the interface failed', [500, '']],
    ['the second page failed', [200, { messages: [OTHER], next_page_uri: NEXT }], [503, '']],
    ['the list redirects', [302, '']],
    ['the answer is a page', [200, '<html>']],
    ['the answer is not a list', [200, { messages: 'none' }]],
    ['a message has no id', [200, { messages: [{ ...OTHER, sid: '1' }] }]],
    ['a text is left out', [200, { messages: [{ ...OTHER, body: null }] }]],
    ['a text is empty', [200, { messages: [{ ...OTHER, body: '' }] }]],
    ['the list leads to another host', [200, { messages: [], next_page_uri: 'https://example.com/x' }]],
    ['the list leads to another host without a protocol', [200, { messages: [], next_page_uri: '//example.com/x' }]],
    ['the list leads nowhere', [200, { messages: [], next_page_uri: 'http://' }]],
  ])('may still exist if %s', async (_, ...pages) => {
    const { find, requests } = await listing(...pages);
    const failure = await failureOf(find());
    expect(failure.message).not.toMatch(/4915112345678|15550100001/);
    expect(requests).toHaveLength(pages.length);
  });

  it('is not looked up on an endless list', async () => {
    const { find, requests } = await listing([200, { messages: [OTHER], next_page_uri: NEXT }]);
    expect(await failureOf(find())).toMatchObject({ status: 'TOO_MANY_PAGES', transient: false });
    expect(requests).toHaveLength(50);
  });

  it('is not looked up without a reference, which every text contains', async () => {
    await expect(findMessage(connectTo('http://127.0.0.1:1'), { ...WANTED, reference: '' })).rejects.toThrow(
      InvariantError,
    );
  });

  it('does not show the numbers that a refusal repeats', async () => {
    const { find } = await listing([400, { code: 21211, message: `${TO} ${encodeURIComponent(FROM)} 4915112345678` }]);
    expect((await failureOf(find())).message).toContain('whatsapp:+49…78 whatsapp%3A%2B15…01 49…78');
  });
});

describe('an accepted message', () => {
  const fetched = async (status: number, body: unknown) => {
    const { url, requests } = await listing([status, body]);
    return { requests, work: fetchMessage(connectTo(url), SID) };
  };

  it('is requested by its id', async () => {
    const { requests, work } = await fetched(200, { ...OURS, status: 'read', error_code: null });
    expect(await work).toEqual({ providerId: SID, status: 'read', errorCode: undefined });
    expect(requests).toMatchObject([{ method: 'GET', path: `/2010-04-01/Accounts/AC1/Messages/${SID}.json` }]);
  });

  it('is unknown if the interface says so or its id is invalid', async () => {
    expect(await (await fetched(404, { code: 20404 })).work).toBeUndefined();
    expect(await fetchMessage(connectTo('http://127.0.0.1:1'), '../Calls')).toBeUndefined();
  });

  it.each([
    [500, ''],
    [401, { code: 20003 }],
    [200, {}],
  ])('is not decided by an answer of %d %j', async (status, body) => {
    await failureOf((await fetched(status, body)).work);
  });
});
