import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { generateKeywordIdeas } from '../../../src/services/ads/generate-keyword-ideas.ts';
import { failureOf } from '../../http/test-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { CUSTOMER, connectTo, connectToSandbox, errorBody } from './ads-client.ts';

async function answered(body: unknown) {
  const { url } = await stubServer((_, response) => response.end(JSON.stringify(body)));
  return generateKeywordIdeas(connectTo(url), CUSTOMER, ['shoes']);
}

describe('keyword ideas', () => {
  it('B6: are requested with these seeds', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    await generateKeywordIdeas(connectTo(url), CUSTOMER, ['running shoes', 'snœkers "x"']);
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: `/v21/customers/${CUSTOMER}:generateKeywordIdeas`,
        body: '{"keywordSeed":{"keywords":["running shoes","snœkers \\"x\\""]}}',
      },
    ]);
  });

  it('B6: are read exactly by the public fields, and passed through unchanged', async () => {
    const answer = {
      results: [
        {
          text: 'shoes',
          keywordIdeaMetrics: {
            avgMonthlySearches: '9007199254740993',
            competition: 'HIGH',
            competitionIndex: '80',
            lowTopOfPageBidMicros: '650000',
            highTopOfPageBidMicros: 1460000,
          },
        },
        { text: 'boots' },
      ],
      aggregateMetricResults: { x: 1 },
    };
    const { answer: passed, ideas } = await answered(answer);
    expect(passed).toEqual(answer);
    expect(ideas).toEqual([
      {
        text: 'shoes',
        avgMonthlySearches: 9_007_199_254_740_993n,
        competition: 'HIGH',
        micros: new Map([
          ['lowTopOfPageBidMicros', 650_000n],
          ['highTopOfPageBidMicros', 1_460_000n],
        ]),
      },
      { text: 'boots', avgMonthlySearches: undefined, competition: undefined, micros: new Map() },
    ]);
  });

  it('B6: keep numbers that JavaScript would round', async () => {
    const text =
      '{"results":[{"text":"shoes","keywordIdeaMetrics":{"avgMonthlySearches":9007199254740993,"lowMicros":1.0}}],"id":12345678901234567890}';
    const { url } = await stubServer((_, response) => response.end(text));
    const { answer, ideas } = await generateKeywordIdeas(connectTo(url), CUSTOMER, ['shoes']);
    expect(JSON.stringify(answer)).toBe(text);
    expect(ideas).toMatchObject([{ avgMonthlySearches: 9_007_199_254_740_993n }]);
  });

  it.each([
    ['unknown fields', { ideas: ['boots'] }],
    ['nothing', {}],
    ['unknown results', { results: ['boots'] }],
    ['a list without texts', { results: [{ keyword: 'boots' }] }],
  ])('B6: are only passed through if the answer has %s', async (_, answer) => {
    expect(await answered(answer)).toEqual({ answer, ideas: undefined });
  });

  it('survive a metric of an unknown shape', async () => {
    const metrics = { avgMonthlySearches: 'many', competition: 5, lowTopOfPageBidMicros: {}, bidMicros: '7' };
    const { ideas } = await answered({
      results: [
        { text: 'a', keywordIdeaMetrics: metrics },
        { text: 'b', keywordIdeaMetrics: 5 },
      ],
    });
    expect(ideas?.map(({ avgMonthlySearches, micros }) => [avgMonthlySearches, [...micros]])).toEqual([
      [undefined, [['bidMicros', 7n]]],
      [undefined, []],
    ]);
  });

  it('are read page after page', async () => {
    const { url, requests } = await stubServer(({ body }, response) => {
      const { pageToken = '0' } = JSON.parse(body);
      const next = pageToken === '2' ? {} : { nextPageToken: String(Number(pageToken) + 1) };
      response.end(JSON.stringify({ results: [{ text: `idea ${pageToken}` }], totalSize: '3', ...next }));
    });
    const { answer, ideas } = await generateKeywordIdeas(connectTo(url), CUSTOMER, ['shoes']);
    expect(requests).toHaveLength(3);
    expect(ideas?.map(({ text }) => text)).toEqual(['idea 0', 'idea 1', 'idea 2']);
    expect(answer).toEqual({ results: [0, 1, 2].map((page) => ({ text: `idea ${page}` })), totalSize: '3' });
  });

  it('end even if the service does not', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{"nextPageToken":"again"}'));
    const failure = await failureOf(generateKeywordIdeas(connectTo(url), CUSTOMER, ['shoes']));
    expect(failure).toMatchObject({ status: 'WRONG_ANSWER' });
    expect(requests).toHaveLength(100);
  });

  it('of all pages together have a size limit', async () => {
    const page = JSON.stringify({ results: [{ text: 'x'.repeat(5_000_000) }], nextPageToken: 'again' });
    const { url, requests } = await stubServer((_, response) => response.end(page));
    const failure = await failureOf(generateKeywordIdeas(connectTo(url), CUSTOMER, ['shoes']));
    expect(failure).toMatchObject({ status: 'TOO_LARGE', transient: false });
    expect(failure.message).toBe('The answer with keyword ideas is larger than 33,554,432 bytes.');
    expect(requests).toHaveLength(7);
  });

  it.each([
    ['a page', 200, '<html>', 'MALFORMED', 1],
    ['a list', 200, '[]', 'MALFORMED', 1],
    ['a refusal', 400, JSON.stringify(errorBody(400, 'INVALID_ARGUMENT')), 'INVALID_ARGUMENT', 1],
    ['a busy service', 503, '', 'MALFORMED', 3],
  ])('fail with %s', async (_, status, body, code, tries) => {
    const { url, requests } = await stubServer((_, response) => response.writeHead(status).end(body));
    expect(await failureOf(generateKeywordIdeas(connectTo(url), CUSTOMER, ['shoes']))).toMatchObject({ status: code });
    expect(requests).toHaveLength(tries);
  });

  it('B6: come from the sandbox', async () => {
    const sandbox = await freshSandbox();
    const [account] = sandbox.market.accounts;
    const customer = customerId(account?.customerId ?? '');
    const { ideas } = await generateKeywordIdeas(connectToSandbox(sandbox), customer, ['Sneakers']);
    expect(ideas?.map(({ text }) => text)).toContain('buy sneakers');
    expect([...(ideas?.[0]?.micros.keys() ?? [])]).toEqual(['lowTopOfPageBidMicros', 'highTopOfPageBidMicros']);
  });
});
