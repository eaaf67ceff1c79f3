import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { pageTokens, permissions, revokePermissions } from '../../../src/channels/graph/diagnose-pages.ts';
import { listPhoneNumbers, resolveSender } from '../../../src/channels/graph/phone-numbers.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { failureOf } from '../../http/test-client.ts';
import { type StubRequest, stubServer } from '../../support/stub-server.ts';
import { toldLog } from '../../support/told-log.ts';
import { ACCOUNT, connectTo, errorOf, json, TOKEN, USER } from './graph-client.ts';

const NUMBERS = [
  { id: '1', verified_name: 'Acme', display_phone_number: '+49 1511 2345678', quality_rating: 'GREEN' },
  { id: '2', verified_name: 'Acme Test', display_phone_number: '+1 555-010-0001', quality_rating: 'NA' },
];

/** Answers with these pages one after another, each naming the next one as the service does. */
function pages(lists: readonly (readonly unknown[])[], origin = 'https://graph.example.com') {
  return ({ path }: StubRequest, response: ServerResponse): void => {
    const after = new URL(path, 'http://x').searchParams.get('after');
    const page = after === null ? 0 : Number(after.replace('cursor ', ''));
    const cursors = { before: `cursor ${page}`, after: `cursor ${page + 1}` };
    const next =
      page + 1 < lists.length ? { next: `${origin}/next?access_token=stolen&after=cursor%20${page + 1}` } : {};
    json(response, 200, { data: lists[page], paging: { cursors, ...next } });
  };
}

async function pathsOf(lists: Parameters<typeof pages>[0], overrides: Parameters<typeof connectTo>[1] = {}) {
  const { url, requests } = await stubServer(pages(lists));
  const numbers = await listPhoneNumbers(connectTo(url, overrides), ACCOUNT);
  return { numbers, requests };
}

describe('the phone numbers of an account', () => {
  it('A2: are read completely', async () => {
    const { numbers, requests } = await pathsOf([NUMBERS]);
    expect(requests).toMatchObject([{ method: 'GET', path: `/v23.0/${ACCOUNT}/phone_numbers`, body: '' }]);
    expect(numbers[1]).toEqual({
      id: '2',
      verifiedName: 'Acme Test',
      displayNumber: '+1 555-010-0001',
      qualityRating: 'NA',
    });
  });

  it('A2: may have other ratings and other or fewer fields', async () => {
    const { numbers } = await pathsOf([[{ id: 106540352242922, quality_rating: 'PURPLE', code: 1 }, { id: '2' }]]);
    expect(numbers).toMatchObject([
      { id: '106540352242922', qualityRating: 'PURPLE', displayNumber: undefined },
      { id: '2', qualityRating: undefined },
    ]);
  });

  it('A2: are read page by page, only from the configured address', async () => {
    const { numbers, requests } = await pathsOf([[{ id: '1' }], [{ id: '2' }], [], [{ id: '3' }]]);
    expect(numbers.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(requests.map(({ path }) => path)).toEqual([
      `/v23.0/${ACCOUNT}/phone_numbers`,
      ...[1, 2, 3].map((page) => `/v23.0/${ACCOUNT}/phone_numbers?after=cursor+${page}`),
    ]);
    expect(requests.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
  });

  it("follow the next page's address if there is no cursor", async () => {
    let asked = 0;
    const { url, requests } = await stubServer((_, response) =>
      json(response, 200, asked++ === 0 ? { data: [], paging: { next: 'https://x/y?after=abc' } } : { data: [] }),
    );
    expect(await listPhoneNumbers(connectTo(url), ACCOUNT)).toEqual([]);
    expect(requests[1]?.path).toMatch(/\?after=abc$/);
  });

  it('are refused if their pages together exceed the size limit', async () => {
    const lists = Array.from({ length: 10 }, () => [{ id: '1', verified_name: 'x'.repeat(3_500_000) }]);
    const { url, requests } = await stubServer(pages(lists));
    const failure = await failureOf(listPhoneNumbers(connectTo(url), ACCOUNT));
    expect(failure).toMatchObject({ status: 'TOO_LARGE', transient: false });
    expect(failure.message).toBe('The list of phone numbers is larger than 16,777,216 bytes.');
    expect(requests).toHaveLength(5);
  });

  it.each([
    ['a repeated cursor', { cursors: { after: 'same' }, next: 'https://x/?after=same' }],
    ['a next page without a cursor', { next: 'https://x/?offset=25' }],
    ['an invalid address of the next page', { next: 'more' }],
  ])('never loop: %s', async (_, paging) => {
    const { url, requests } = await stubServer((_, response) => json(response, 200, { data: [], paging }));
    const failure = await failureOf(listPhoneNumbers(connectTo(url), ACCOUNT));
    expect(failure).toMatchObject({ status: 'WRONG_ANSWER', transient: false });
    expect(requests.length).toBeLessThan(3);
  });

  it.each([
    ['text instead of JSON', '<html>'],
    ['no data', '{}'],
    ['data that is not a list', '{"data":{}}'],
    ['a number without an id', '{"data":[{"verified_name":"x"}]}'],
    ['an invalid id', '{"data":[{"id":"../me"}]}'],
  ])('are refused as %s', async (_, body) => {
    const { url } = await stubServer((_, response) => response.writeHead(200).end(body));
    expect(await failureOf(listPhoneNumbers(connectTo(url), ACCOUNT))).toMatchObject({ status: 'MALFORMED' });
  });

  it('are requested again if the service is busy, within the configured limits', async () => {
    const { url, requests } = await stubServer((_, response) => json(response, 400, errorOf(4)));
    const told: string[] = [];
    const graph = connectTo(url, { log: toldLog({ warn: (line) => told.push(line) }) });
    await failureOf(listPhoneNumbers(graph, ACCOUNT));
    expect(requests).toHaveLength(3);
    expect(graph.pauses.taken).toEqual([1_000, 2_000]);
    expect(told).toEqual(
      [1, 2].map((seconds) => expect.stringMatching(`^The list of phone numbers: .* Trying again in ${seconds} s\\.$`)),
    );
  });
});

describe('the sender of an account', () => {
  it.each<[string, readonly unknown[], string | undefined, string]>([
    ['is its only number', NUMBERS.slice(0, 1), undefined, '1'],
    ['is the requested number', NUMBERS, '+1 555-010-0001', '2'],
    ['is found in any spelling', NUMBERS, '15550100001', '2'],
    ['is found on any page', [NUMBERS[0], { id: '9' }, NUMBERS[1]], '(1) 555 0100001', '2'],
  ])('A6: %s', async (_, list, displayNumber, id) => {
    const { url } = await stubServer(pages([list]));
    expect(await resolveSender(connectTo(url), ACCOUNT, displayNumber)).toBe(id);
  });

  it.each<[string, readonly unknown[], string | undefined, string]>([
    [
      'without any number',
      [],
      undefined,
      `The business account ${ACCOUNT} has no number, expected exactly one sender.`,
    ],
    [
      'among several numbers',
      NUMBERS,
      undefined,
      `The business account ${ACCOUNT} has 2 numbers, expected exactly one sender. It has 1 (Acme, +49…78), 2 (Acme Test, +15…01).`,
    ],
    [
      'for a number of another account',
      NUMBERS,
      '+49 30 123456',
      `The business account ${ACCOUNT} has no number like +49…56, expected exactly one sender. It has 1 (Acme, +49…78), 2 (Acme Test, +15…01).`,
    ],
  ])('A6: is not guessed %s', async (_, list, displayNumber, message) => {
    const { url } = await stubServer(pages([list]));
    const failure = await failureOf(resolveSender(connectTo(url), ACCOUNT, displayNumber));
    expect(failure).toMatchObject({ message, status: 'NO_SENDER', outcome: 'not_processed', transient: false });
  });
});

describe('the pages of a user', () => {
  it('A3: may be empty', async () => {
    const { url, requests } = await stubServer((_, response) => json(response, 200, { data: [] }));
    expect(await pageTokens(connectTo(url), USER)).toEqual([]);
    expect(requests).toMatchObject([{ method: 'GET', path: `/v23.0/${USER}/accounts` }]);
  });

  it('A3: come with their tokens, page by page, and every token is then redacted', async () => {
    const page = { id: '7', name: 'Shop', category: 'Retail', tasks: ['MANAGE'], access_token: 'EAAG-of-the-page' };
    const { url } = await stubServer(pages([[page], [{ ...page, id: '8', access_token: 'EAAG-of-another' }]]));
    const redact = createRedact([]);
    const tokens = await pageTokens(connectTo(url, { redact }), USER);
    expect(tokens.map(({ accessToken }) => accessToken)).toEqual(['EAAG-of-the-page', 'EAAG-of-another']);
    expect(tokens[0]).toMatchObject({ id: '7', name: 'Shop', category: 'Retail', tasks: ['MANAGE'] });
    expect(redact('EAAG-of-the-page EAAG-of-another')).toBe('[redacted] [redacted]');
  });

  it('A3: may have elements with any fields', async () => {
    const { url } = await stubServer((_, response) => json(response, 200, { data: [{}, { id: {}, tasks: 'x' }] }));
    expect(await pageTokens(connectTo(url), USER)).toHaveLength(2);
  });
});

describe('the permissions of a user', () => {
  it('A4: are a list of words', async () => {
    const data = [
      { permission: 'pages_show_list', status: 'granted' },
      { permission: 'public_profile', status: 'declined' },
    ];
    const { url, requests } = await stubServer((_, response) => json(response, 200, { data }));
    expect(await permissions(connectTo(url), USER)).toEqual(data);
    expect(requests).toMatchObject([{ method: 'GET', path: `/v23.0/${USER}/permissions` }]);
  });

  it.each(['{"success":true}', '', 'true'])('A4: are revoked by DELETE, whatever the answer: %j', async (body) => {
    const { url, requests } = await stubServer((_, response) => response.writeHead(200).end(body));
    await revokePermissions(connectTo(url), USER);
    expect(requests).toMatchObject([{ method: 'DELETE', path: `/v23.0/${USER}/permissions`, body: '' }]);
  });

  it('A4: are not revoked if the answer says so', async () => {
    const { url } = await stubServer((_, response) => json(response, 200, { success: false }));
    expect(await failureOf(revokePermissions(connectTo(url), USER))).toMatchObject({ status: 'NOT_REVOKED' });
  });

  it.each([
    [429, 3],
    [500, 1],
  ])('A4: are revoked once if the outcome is unknown: HTTP %i, %i attempts', async (status, tries) => {
    const { url, requests } = await stubServer((_, response) => response.writeHead(status).end());
    await failureOf(revokePermissions(connectTo(url), USER));
    expect(requests).toHaveLength(tries);
  });
});

describe('the text of a success', () => {
  const hostile = `Sent ${TOKEN} ${'and more '.repeat(1000)}`;
  const shown = expect.stringMatching(/^Sent \[redacted\] and more .{0,500}…$/);
  const answering = async (element: object) => stubServer((_, response) => json(response, 200, { data: [element] }));

  it('for a number repeats no secret and has a bounded length', async () => {
    const { url } = await answering({ id: '1', verified_name: hostile, quality_rating: hostile });
    expect(await listPhoneNumbers(connectTo(url), ACCOUNT)).toMatchObject([
      { verifiedName: shown, qualityRating: shown },
    ]);
  });

  it('for a permission does the same', async () => {
    const { url } = await answering({ permission: hostile, status: hostile });
    expect(await permissions(connectTo(url), USER)).toEqual([{ permission: shown, status: shown }]);
  });

  it('for a page does the same, also for the token of a later page', async () => {
    const page = { id: '1', name: hostile, category: hostile, tasks: [hostile] };
    const others = [
      { id: '2', name: 'as page-token-3' },
      { id: '3', access_token: 'page-token-3' },
    ];
    const { url } = await stubServer((_, response) => json(response, 200, { data: [page, ...others] }));
    expect(await pageTokens(connectTo(url), USER)).toMatchObject([
      { name: shown, category: shown, tasks: [shown] },
      { name: 'as [redacted]' },
      { accessToken: 'page-token-3' },
    ]);
  });
});
