import { describe, expect, it } from 'vitest';
import { callGraph } from '../../../src/channels/graph/call-graph.ts';
import { explainGraphCode, graphFailure } from '../../../src/channels/graph/read-failure.ts';
import type { ApiError } from '../../../src/domain/errors.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { failureOf } from '../../http/test-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { connectTo, errorOf, TOKEN } from './graph-client.ts';

function failureFor(status: number, body: unknown, headers = {}): ApiError {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const redact = createRedact([TOKEN]);
  const failure = graphFailure({ status, headers }, text, { hide: redact, redact });
  if (!failure) throw new Error('It was taken for a success.');
  return failure;
}

const REFUSED = { outcome: 'not_processed', transient: false };
const FOR_NOW = { outcome: 'not_processed', transient: true };
const UNCERTAIN = { outcome: 'unknown', transient: true };
/** Nobody knows what became of the request, and asking again will come to the same. */
const NO_ANSWER = { outcome: 'unknown', transient: false };

describe('an error of the messaging interface', () => {
  it.each<[string, number, number | undefined, object, RegExp]>([
    ['a token of another kind', 0, undefined, REFUSED, /token is invalid/],
    ['an invalid token', 190, undefined, REFUSED, /token is invalid/],
    ['an expired token', 190, 463, REFUSED, /token has expired/],
    ['a token with an unknown subcode', 190, 999, REFUSED, /token is invalid/],
    ['a missing permission', 10, undefined, REFUSED, /lacks a permission/],
    ['the first permission of the row', 200, undefined, REFUSED, /lacks a permission/],
    ['the last permission of the row', 299, undefined, REFUSED, /lacks a permission/],
    ['too many requests of the app', 4, undefined, FOR_NOW, /Too many requests/],
    ['too many requests of the account', 80007, undefined, FOR_NOW, /Too many requests/],
    ['too many messages of the sender', 130429, undefined, FOR_NOW, /Too many requests/],
    ['too many messages of a pair of numbers', 131056, undefined, FOR_NOW, /from this sender to this recipient/],
    ['a closed window', 131047, undefined, REFUSED, /not written for 24 hours/],
    ['a number without an account', 131026, undefined, REFUSED, /cannot deliver the message/],
    ['a number that is not on the list', 131030, undefined, REFUSED, /test sender/],
    ['an unknown path', 2500, undefined, REFUSED, /part that the service does not know/],
    ['an identifier of another kind', 100, 33, REFUSED, /unsupported operation/],
    ['a wrong parameter', 100, undefined, REFUSED, /part of the request/],
    ['an unavailable service', 2, undefined, UNCERTAIN, /temporarily unavailable/],
  ])('A7: %s is recognised by its code %i/%s', (_, code, subcode, classified, words) => {
    const failure = failureFor(400, errorOf(code, subcode));
    expect(failure).toMatchObject({ ...classified, status: String(code), httpStatus: 400, requestId: 'AbC123' });
    expect(failure.message).toMatch(words);
  });

  it('A7: explains the two observed errors and what to check', () => {
    expect(
      failureFor(400, errorOf(2500, undefined, 'OAuthException', 'Unknown path components: /wamid.1')),
    ).toMatchObject({
      message:
        'The graph interface answered OAuthException 2500: Unknown path components: /wamid.1. The path has a part that the service does not know.',
      nextStep: 'Check GRAPH_VERSION and GRAPH_URL. Write GRAPH_URL without a version.',
    });
    expect(failureFor(400, errorOf(100, 33, 'GraphMethodException', 'Unsupported post request.'))).toMatchObject({
      message:
        'The graph interface answered GraphMethodException 100/33: Unsupported post request. Unknown identifier, missing access, or unsupported operation.',
      nextStep: expect.stringContaining('GRAPH_PHONE_NUMBER_ID'),
    });
  });

  it('A7: is classified by its code, not by its HTTP status', () => {
    expect(failureFor(500, errorOf(131047))).toMatchObject(REFUSED);
    expect(failureFor(400, errorOf(130429))).toMatchObject(FOR_NOW);
  });

  it.each([
    [400, REFUSED],
    [429, FOR_NOW],
    [500, UNCERTAIN],
    [200, { outcome: 'unknown', transient: false }],
  ])('A7: with an unknown code is classified by the HTTP status %i', (status, classified) => {
    expect(failureFor(status, errorOf(987654))).toMatchObject({ ...classified, status: '987654' });
    expect(explainGraphCode(987654)).toBeUndefined();
  });

  it('A7: keeps its code if its other parts are malformed', () => {
    const error = { message: 5, type: null, code: '190', error_subcode: 'x', fbtrace_id: {}, error_data: [] };
    expect(failureFor(401, { error })).toMatchObject({ status: '190', ...REFUSED });
  });

  it('adds the longer explanation, if any', () => {
    const { error } = errorOf(131009);
    const longer = { ...error, error_data: { messaging_product: 'whatsapp', details: 'Parameter text is too long.' } };
    expect(failureFor(400, { error: longer }).message).toContain('Not so; Parameter text is too long.');
  });

  it.each([
    ['as long as requested', 130429, { 'retry-after': '7' }, 7_000],
    ['at least as long as a pair of numbers requires', 131056, { 'retry-after': '1' }, 6_000],
    [
      'until a given date',
      130429,
      { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:01:00 GMT' },
      60_000,
    ],
    ['no longer than a day', 130429, { 'retry-after': '99999999999' }, 86_400_000],
    ['not at all without a request', 130429, {}, undefined],
    ['not at all for an invalid request', 130429, { 'retry-after': 'soon' }, undefined],
  ])('pauses %s', (_, code, headers, retryAfterMs) => {
    expect(failureFor(429, errorOf(code), headers).retryAfterMs).toBe(retryAfterMs);
  });

  it.each([
    ['a page', 502, '<html>Bad Gateway</html>', 'HTTP 502 with a page, expected JSON.', UNCERTAIN],
    ['nothing', 500, '', 'HTTP 500 with nothing, expected JSON.', UNCERTAIN],
    [
      'JSON of another shape',
      404,
      '{"error":"no"}',
      'HTTP 404 with "{\\"error\\":\\"no\\"}", expected JSON.',
      NO_ANSWER,
    ],
    ['half of a JSON text', 400, '{"error":', 'HTTP 400 with "{\\"error\\":", expected JSON.', NO_ANSWER],
    ['a page instead of a refusal', 404, '<html>Sorry', 'HTTP 404 with a page, expected JSON.', NO_ANSWER],
    ['a page of a rate limiter', 429, '<html>Slowly', 'HTTP 429 with a page, expected JSON.', FOR_NOW],
  ])('is one even as %s', (_, status, body, words, classified) => {
    const failure = failureFor(status, body);
    expect(failure.message).toBe(`The graph interface answered ${words}`);
    expect(failure).toMatchObject({ ...classified, status: `HTTP_${status}` });
  });

  it('A10: never shows an echoed token', () => {
    expect(failureFor(400, errorOf(190, undefined, 'OAuthException', `Bad ${TOKEN}`)).message).not.toContain(TOKEN);
    expect(failureFor(400, `<${TOKEN}`).message).not.toContain(TOKEN);
    expect(failureFor(400, `x ${TOKEN}`).message).toContain('[redacted]');
    const { error } = errorOf(190, undefined, TOKEN, 'Bad.');
    const failure = failureFor(400, { error: { ...error, fbtrace_id: `trace of ${TOKEN}` } });
    expect([failure.message, JSON.stringify(failure)].join()).not.toContain(TOKEN);
    expect(failure.requestId).toBe('trace of [redacted]');
  });
});

it('a missing connection is a connection failure', async () => {
  const { url } = await stubServer((_, response) => response.destroy());
  const failure = await failureOf(callGraph(connectTo(url, { tokenIn: 'query' }), { method: 'GET', path: 'me' }));
  expect(failure.outcome).toBe('unknown');
  expect(JSON.stringify([failure.message, failure])).not.toMatch(/access_token|EAAG/);
});

it('a very long refusal has a message of bounded length', () => {
  const long = 'lorem ipsum '.repeat(50_000);
  const error = { message: long, type: long, code: 100, fbtrace_id: long, error_data: { details: long } };
  const failure = failureFor(400, { error });
  expect(failure.message.length).toBeLessThan(1500);
  expect(failure.details[0]?.message.length).toBeLessThan(1100);
  expect(failure.details[0]?.code?.length).toBeLessThan(120);
  expect(failure).toMatchObject({ status: '100', ...REFUSED });
});
