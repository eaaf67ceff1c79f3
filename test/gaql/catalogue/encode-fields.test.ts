import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { decodeCatalogue } from '../../../src/language/gaql/catalogue/decode-catalogue.ts';
import { encodeFields, type ServiceField } from '../../../src/language/gaql/catalogue/encode-fields.ts';

const NONE = { enumValues: [], selectableWith: [], attributeResources: [], metrics: [], segments: [] };
const ALLOWED = { selectable: true, filterable: true, sortable: true };

function field(name: string, more: Partial<ServiceField> = {}): ServiceField {
  const category = name.startsWith('metrics.') ? 'METRIC' : name.startsWith('segments.') ? 'SEGMENT' : 'ATTRIBUTE';
  return { name, category, dataType: 'STRING', isRepeated: false, typeUrl: '', ...ALLOWED, ...NONE, ...more };
}

const resource = (name: string, more: Partial<ServiceField> = {}) => field(name, { category: 'RESOURCE', ...more });
const CUSTOMER = [resource('customer'), field('customer.id', { dataType: 'INT64' })];
const CAMPAIGN = [resource('campaign', { attributeResources: ['customer'] }), field('campaign.id')];
const SMALLEST = [...CUSTOMER, ...CAMPAIGN];

const encode = (fields: readonly ServiceField[]) => encodeFields('v26', fields, loadCatalogue('v25'));

function catalogueOf(...more: readonly ServiceField[]) {
  const encoding = encode([...SMALLEST, ...more]);
  if (encoding.kind !== 'ok') throw new Error(encoding.reason);
  return decodeCatalogue(JSON.parse(JSON.stringify(encoding.catalogue)));
}

const many = Array.from({ length: 10_000 }, (_, number) => field(`campaign.new_${number}`));
const enumOf = (version: string) => `google.ads.googleads.${version}.enums.CampaignStatusEnum.CampaignStatus`;

describe('an implausible list of fields is refused', () => {
  it.each<[sentence: string, fields: readonly ServiceField[], reason: string]>([
    ['an empty one', [], 'it lists no field'],
    ['a name twice', [...SMALLEST, field('campaign.id')], 'it lists campaign.id twice'],
    ['no campaign', CUSTOMER, 'it lists no resource campaign'],
    ['a name that no query can have', [...SMALLEST, field('campaign.<b>')], 'entry 5 has no valid name'],
    ['no name', [field('')], 'entry 1 has no valid name'],
    ['a very long name', [field(`campaign.${'x'.repeat(300)}`)], 'entry 1 has no valid name'],
    [
      'another version',
      [...SMALLEST, field('campaign.status', { dataType: 'ENUM', typeUrl: enumOf('v25') })],
      'its types are those of v25, expected v26',
    ],
    ['10,000 unknown fields', [...SMALLEST, ...many], '10,000 of its names are unknown here, expected at most 5,000'],
  ])('%s', (_, fields, reason) => {
    expect(encode(fields)).toEqual({ kind: 'implausible', reason });
  });
});

describe('the fields of a service', () => {
  it('keep what the service says of each', () => {
    const { fields, resources } = catalogueOf(
      resource('experiment_arm', {
        metrics: ['metrics.clicks', 'metrics.gone'],
        segments: ['segments.hour', 'campaign'],
      }),
      field('experiment_arm.parts.name', { isRepeated: true, selectable: false, sortable: false }),
      field('metrics.clicks', { dataType: 'INT64', selectableWith: ['experiment_arm', 'segments.hour'] }),
      field('segments.hour', { dataType: 'INT32', filterable: false }),
    );
    expect(fields.get('experiment_arm.parts.name')).toEqual({
      name: 'experiment_arm.parts.name',
      role: 'attribute',
      type: 'STRING',
      values: [],
      repeated: true,
      selectable: false,
      filterable: true,
      sortable: false,
      selectableWith: undefined,
    });
    expect(fields.get('metrics.clicks')?.selectableWith).toEqual(new Set(['segments.hour']));
    expect(fields.get('segments.hour')).toMatchObject({ type: 'INT64', filterable: false, selectableWith: undefined });
    expect(resources.get('experiment_arm')).toMatchObject({
      attributed: ['experiment_arm'],
      segmentedBy: ['campaign'],
      metrics: new Set(['metrics.clicks']),
      segments: new Set(['segments.hour']),
    });
  });

  it('have the row key of the shipped catalogue, or else their resource name', () => {
    const { resources } = catalogueOf(resource('brand_new'), resource('ad_group'));
    const key = (name: string) => resources.get(name)?.key;
    expect(['campaign', 'customer', 'brand_new', 'ad_group'].map(key)).toEqual([
      ['campaign.id'],
      [],
      ['brand_new.resource_name'],
      // This list has no ad_group.id.
      ['ad_group.resource_name'],
    ]);
  });

  it.each<[name: string, dataType: string, type: string]>([
    ['campaign.campaign_budget', 'STRING', 'RESOURCE_NAME'],
    ['change_event.change_date_time', 'DATE', 'DATE_TIME'],
    ['metrics.new_share', 'FLOAT', 'DOUBLE'],
    ['metrics.new_count', 'UINT64', 'INT64'],
    ['campaign.new_thing', 'HOLOGRAM', 'STRING'],
    ['segments.date', 'DATE', 'DATE'],
  ])('%s of the service’s type %s is %s', (name, dataType, type) => {
    expect(catalogueOf(field(name, { dataType })).fields.get(name)?.type).toBe(type);
  });

  it('have their own constants, even if two types end alike', () => {
    const status = (owner: string, enumValues: string[]) =>
      field(`${owner}.status`, {
        dataType: 'ENUM',
        typeUrl: `google.ads.googleads.v26.enums.${owner}Enum.Status`,
        enumValues: ['UNSPECIFIED', 'UNKNOWN', ...enumValues],
      });
    const { fields } = catalogueOf(status('customer', ['A']), status('campaign', ['B', 'C']));
    expect(fields.get('customer.status')?.values).toEqual(['A']);
    expect(fields.get('campaign.status')?.values).toEqual(['B', 'C']);
  });
});

it('a refresh of the shipped version changes no type, resource or key, so that tables stay as they are', () => {
  const shipped = loadCatalogue('v25');
  const resources = [...shipped.resources.values()].map(({ name, attributed, metrics, segments, segmentedBy }) =>
    resource(name, {
      attributeResources: attributed,
      metrics: [...metrics],
      segments: [...segments, ...segmentedBy],
    }),
  );
  const fields = [...shipped.fields.values()].map(({ name, type, repeated, values }) =>
    field(name, {
      // The service calls some references and times plain text.
      dataType: type === 'RESOURCE_NAME' || type === 'DATE_TIME' ? 'STRING' : type,
      isRepeated: repeated,
      enumValues: values,
      typeUrl: type === 'ENUM' ? `google.ads.googleads.v25.enums.${values.join('')}` : '',
    }),
  );
  const encoding = encodeFields('v25', [...resources, ...fields], shipped);
  if (encoding.kind !== 'ok') throw new Error(encoding.reason);
  const refreshed = decodeCatalogue(encoding.catalogue);
  for (const [name, { type, repeated, values, role }] of shipped.fields) {
    expect(refreshed.fields.get(name), name).toMatchObject({ type, repeated, values, role });
  }
  for (const [name, { attributed, segmentedBy, metrics, segments, key }] of shipped.resources) {
    const found = refreshed.resources.get(name);
    expect([found?.attributed, found?.segmentedBy, found?.key], name).toEqual([attributed, segmentedBy, key]);
    expect([found?.metrics, found?.segments], name).toEqual([metrics, segments]);
  }
});
