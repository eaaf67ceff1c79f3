import { describe, expect, it } from 'vitest';
import { decodeCatalogue, type EncodedCatalogue } from '../../../src/language/gaql/catalogue/decode-catalogue.ts';

const ENCODED: EncodedCatalogue = {
  name: 'v0',
  sources: [],
  enums: { Colour: ['RED', 'GREEN'] },
  attributes: {
    page: [
      ['id', 'INT64'],
      ['colour', 'ENUM:Colour'],
      ['colours', 'ENUM:Colour[]'],
    ],
    site: [['url', 'STRING']],
  },
  metrics: [
    ['visits', 'INT64'],
    ['rate', 'DOUBLE'],
  ],
  segments: [
    ['date', 'DATE'],
    ['hour', 'INT64'],
  ],
  resources: {
    page: { attributed: ['page'], segmentedBy: ['site'], metrics: [1], segments: [0, 1], key: ['page.id'] },
    site: { attributed: ['site'], metrics: [], segments: [], key: ['site.url'] },
  },
};

describe('an encoded catalogue', () => {
  const { name, fields, resources } = decodeCatalogue(ENCODED);

  it('has every field under its full name, attributes first', () => {
    expect(name).toBe('v0');
    expect([...fields.keys()]).toEqual([
      'page.id',
      'page.colour',
      'page.colours',
      'site.url',
      'metrics.visits',
      'metrics.rate',
      'segments.date',
      'segments.hour',
    ]);
  });

  it.each([
    ['a plain type', 'page.id', { type: 'INT64', role: 'attribute', values: [], repeated: false }],
    [
      'the constants of an ENUM',
      'page.colour',
      { type: 'ENUM', role: 'attribute', values: ['RED', 'GREEN'], repeated: false },
    ],
    [
      'a list of constants',
      'page.colours',
      { type: 'ENUM', role: 'attribute', values: ['RED', 'GREEN'], repeated: true },
    ],
    ['a metric', 'metrics.rate', { type: 'DOUBLE', role: 'metric', values: [], repeated: false }],
    ['a segment', 'segments.date', { type: 'DATE', role: 'segment', values: [], repeated: false }],
  ])('gives %s', (_, field, expected) => {
    expect(fields.get(field)).toEqual({ name: field, ...expected });
  });

  it('gives what each resource offers', () => {
    expect(resources.get('page')).toEqual({
      name: 'page',
      attributed: ['page'],
      segmentedBy: ['site'],
      metrics: new Set(['metrics.rate']),
      segments: new Set(['segments.date', 'segments.hour']),
      key: ['page.id'],
    });
    expect(resources.get('site')).toMatchObject({ segmentedBy: [], metrics: new Set(), segments: new Set() });
  });

  it.each(['FLOAT', 'int64', '', 'INT64[', 'ENUM:[]', 'INT64 '])('is refused with the type %j', (type) => {
    const wrong = { ...ENCODED, attributes: { page: [['id', type]] as const } };
    expect(() => decodeCatalogue(wrong)).toThrow(`Unknown type ${type} in the catalogue.`);
  });

  it('ignores indexes that do not exist', () => {
    const resource = { attributed: ['page'], metrics: [7], segments: [], key: [] };
    expect(decodeCatalogue({ ...ENCODED, resources: { page: resource } }).resources.get('page')?.metrics.size).toBe(0);
  });
});
