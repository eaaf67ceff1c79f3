import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import type { CatalogueField } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { decodeCatalogue } from '../../../src/language/gaql/catalogue/decode-catalogue.ts';
import { encodeFields } from '../../../src/language/gaql/catalogue/encode-fields.ts';
import { SANDBOX_CATALOGUE } from '../../../src/sandbox/ads/fields.ts';
import { readFields } from '../../../src/services/ads/read-fields.ts';
import { connectToSandbox } from '../../apis/ads/ads-client.ts';
import { answerOf, freshSandbox, post, rowsOf, search, USD } from '../sandbox-client.ts';

const NAMES = { query: 'SELECT name, data_type' };

describe('the sandbox’s field service', () => {
  it('gives the catalogue by which the sandbox itself checks queries', async () => {
    const ads = { ...connectToSandbox(await freshSandbox()), version: 'v26' };
    const encoding = encodeFields('v26', await readFields(ads), loadCatalogue('v25'));
    if (encoding.kind !== 'ok') throw new Error(encoding.reason);
    const { fields, resources } = decodeCatalogue(encoding.catalogue);
    const plain = (all: ReadonlyMap<string, CatalogueField>) =>
      [...all.values()]
        .map((field) => ({ ...field, selectableWith: [...(field.selectableWith ?? [])].sort() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(plain(fields)).toEqual(plain(SANDBOX_CATALOGUE.fields));
    const sets = (name: string, all: typeof resources) => {
      const { attributed, segmentedBy, metrics, segments, key } = all.get(name) ?? {};
      return [attributed, segmentedBy, metrics, segments, key];
    };
    expect([...resources.keys()]).toEqual([...SANDBOX_CATALOGUE.resources.keys()].sort());
    for (const name of resources.keys()) {
      expect(sets(name, resources), name).toEqual(sets(name, SANDBOX_CATALOGUE.resources));
    }
  });

  it('answers in pages, with the members that SELECT names, and refuses invalid pages', async () => {
    const sandbox = await freshSandbox();
    const ask = async (body: object) => (await post(sandbox, '/v26/googleAdsFields:search', body)).json;
    const first = await ask({ ...NAMES, pageSize: 2 });
    expect(first.results).toHaveLength(2);
    expect(Object.keys(first.results[0])).toEqual(['resourceName', 'name', 'dataType']);
    const second = await ask({ ...NAMES, pageToken: first.nextPageToken });
    expect(second.results[0].name > first.results[1].name).toBe(true);
    for (const [body, message] of [
      [{ ...NAMES, pageToken: 'row-9999' }, 'The page token is invalid.'],
      [{ ...NAMES, pageSize: 0 }, 'Found 0 as pageSize, expected 1 or more.'],
      [{ query: 'SELECT nam' }, expect.stringMatching(/^Found "nam", expected one of: name, /)],
      [
        { query: "SELECT name WHERE name = 'campaign'" },
        'The sandbox reads only SELECT and names here, without WHERE.',
      ],
    ] as const) {
      expect((await ask(body)).error.details[0].errors[0].message).toEqual(message);
    }
    expect((await ask([])).error.message).toContain('Expected a JSON object');
  });

  it('gives one field by its name, 404 without one, and 401 without a token', async () => {
    const sandbox = await freshSandbox();
    const get = async (name: string, token = sandbox.credentials.accessToken) =>
      answerOf(
        await fetch(`${sandbox.url}/v26/googleAdsFields/${name}`, { headers: { authorization: `Bearer ${token}` } }),
      );
    expect((await get('campaign.status')).json).toEqual({
      resourceName: 'googleAdsFields/campaign.status',
      name: 'campaign.status',
      category: 'ATTRIBUTE',
      dataType: 'ENUM',
      selectable: true,
      filterable: true,
      sortable: true,
      typeUrl: 'google.ads.googleads.v26.enums.CampaignStatusEnum.CampaignStatus',
      enumValues: ['ENABLED', 'PAUSED', 'REMOVED'],
    });
    expect((await get('metrics.clicks')).json.selectableWith).toEqual(
      expect.arrayContaining(['keyword_view', 'segments.date', 'metrics.impressions']),
    );
    expect((await get('campaign.nam')).status).toBe(404);
    expect((await get('campaign.status', 'x')).status).toBe(401);
    expect((await post(sandbox, '/v26/googleAdsFields:search', NAMES, { authorization: '' })).status).toBe(401);
  });

  it('is not there in strict mode, because the specification does not show it', async () => {
    const sandbox = await freshSandbox({ strict: true });
    expect((await post(sandbox, '/v9/googleAdsFields:search', NAMES)).status).toBe(404);
  });
});

it('the sandbox refuses fields that its field service does not combine', async () => {
  const sandbox = await freshSandbox();
  const query = (metric: string) =>
    `SELECT campaign.id, segments.hour, metrics.${metric} FROM campaign WHERE segments.date DURING YESTERDAY`;
  const { json } = await search(sandbox, USD, query('search_impression_share'));
  expect(json[0].error.details[0].errors[0].errorCode).toEqual({
    queryError: 'PROHIBITED_SEGMENT_WITH_METRIC_IN_SELECT_OR_WHERE_CLAUSE',
  });
  expect((await rowsOf(sandbox, USD, query('clicks'))).length).toBeGreaterThan(0);
});
