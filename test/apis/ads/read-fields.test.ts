import { describe, expect, it } from 'vitest';
import { readFields } from '../../../src/services/ads/read-fields.ts';
import { failureOf } from '../../http/test-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { connectTo } from './ads-client.ts';

/** A service that answers each request with the next of these texts, and then with the last one. */
async function reading(...answers: readonly (string | object)[]) {
  let served = 0;
  const { url, requests } = await stubServer((_, response) => {
    const answer = answers[Math.min(served, answers.length - 1)] ?? '';
    served += 1;
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  return { fields: () => readFields(connectTo(url, { version: 'v26' })), requests };
}

const page = (name: string, more: object = {}) => ({
  results: [{ resourceName: `googleAdsFields/${name}`, name }],
  ...more,
});

describe('the list of fields', () => {
  it('is requested page by page, without a customer', async () => {
    const { fields, requests } = await reading(page('campaign', { nextPageToken: 'p2' }), page('campaign.id'));
    expect((await fields()).map(({ name }) => name)).toEqual(['campaign', 'campaign.id']);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(2).fill('POST /v26/googleAdsFields:search'),
    );
    const bodies = requests.map(({ body }) => JSON.parse(body));
    expect(bodies[0].query).toMatch(/^SELECT name, category, data_type, selectable, filterable, sortable, /);
    expect(bodies.map(({ pageToken }) => pageToken)).toEqual([undefined, 'p2']);
    expect(requests.flatMap(({ headers }) => headers['login-customer-id'] ?? [])).toEqual([]);
  });

  it('may leave out members that are false or empty', async () => {
    const { fields } = await reading(page('campaign'));
    expect(await fields()).toEqual([
      {
        name: 'campaign',
        category: '',
        dataType: '',
        typeUrl: '',
        selectable: false,
        filterable: false,
        sortable: false,
        isRepeated: false,
        enumValues: [],
        selectableWith: [],
        attributeResources: [],
        metrics: [],
        segments: [],
      },
    ]);
  });

  it.each<[sentence: string, answers: readonly (string | object)[], message: RegExp]>([
    ['an HTML page', ['<html><body>Maintenance</body></html>'], /^The list of fields is invalid: expected JSON/],
    ['half a page', [page('a', { nextPageToken: 'p2' }), '{"results":[{"na'], /^The list of fields is invalid/],
    ['a page of another form', [{ results: [{ name: 5 }] }], /^The list of fields is invalid/],
    [
      'fewer fields than announced',
      [page('campaign', { totalResultsCount: '4000' })],
      /^The list of fields has 1 fields, but announces 4000\.$/,
    ],
    [
      'the same page again and again',
      [page('campaign', { nextPageToken: 'p2' })],
      /^The list of fields repeats a page\.$/,
    ],
  ])('is refused: %s', async (_, answers, message) => {
    const { fields, requests } = await reading(...answers);
    expect((await failureOf(fields())).message).toMatch(message);
    expect(requests.length).toBeLessThanOrEqual(2);
  });

  it('ends after many pages', async () => {
    let served = 0;
    const { url, requests } = await stubServer((_, response) => {
      served += 1;
      response.end(JSON.stringify(page(`campaign.f${served}`, { nextPageToken: `p${served}` })));
    });
    expect((await failureOf(readFields(connectTo(url)))).message).toBe('The list of fields has more than 200 pages.');
    expect(requests).toHaveLength(200);
  });
});
