import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadCatalogue, loadDescriptions } from '../../src/config/load-catalogue.ts';
import { isSelectable } from '../../src/language/gaql/catalogue/catalogue.ts';
import type { EncodedCatalogue } from '../../src/language/gaql/catalogue/decode-catalogue.ts';

const ENCODED = JSON.parse(gunzipSync(readFileSync('catalogue/v25.json.gz')).toString()) as EncodedCatalogue;
const { resources, fields } = loadCatalogue('v25');
const descriptions = loadDescriptions('v25');

describe('the committed catalogue', () => {
  it('holds everything that the provider offers', () => {
    expect(resources.size).toBe(188);
    expect(fields.size).toBeGreaterThan(2800);
  });

  it('names its sources in the notice', () => {
    const notice = readFileSync('catalogue/NOTICE.md', 'utf8');
    expect(ENCODED.sources.length).toBeGreaterThan(0);
    expect(ENCODED.sources.filter((source) => !notice.includes(`| ${source},`))).toEqual([]);
    expect(notice).toContain('LICENSE-APACHE-2.0.txt');
    expect(readFileSync('catalogue/LICENSE-APACHE-2.0.txt', 'utf8')).toContain('Apache License');
  });

  it('has key fields that can be selected from their resource', () => {
    for (const resource of resources.values()) {
      for (const name of resource.key) {
        const field = fields.get(name);
        expect(field && isSelectable(resource, field) && !field.repeated, `${resource.name}: ${name}`).toBe(true);
      }
    }
  });

  it('has a key for every resource except the account and those that exist once per account', () => {
    expect([...resources.values()].filter(({ key }) => key.length === 0).map(({ name }) => name)).toEqual([
      'cart_data_sales_view',
      'customer',
      'hotel_performance_view',
      'shopping_performance_view',
      'travel_activity_performance_view',
    ]);
  });

  it('has the resource name of every resource', () => {
    for (const name of resources.keys()) expect(fields.get(`${name}.resource_name`)?.type, name).toBe('RESOURCE_NAME');
  });

  it('lists existing attributed resources only, the resource itself first', () => {
    for (const { name, attributed, segmentedBy } of resources.values()) {
      expect(attributed[0]).toBe(name);
      const all = [...attributed, ...segmentedBy];
      expect(new Set(all).size, name).toBe(all.length);
      expect(
        all.filter((other) => !resources.has(other)),
        name,
      ).toEqual([]);
    }
  });

  it('points at metrics and segments that it has', () => {
    for (const [name, { metrics, segments }] of Object.entries(ENCODED.resources)) {
      expect(
        metrics.filter((at) => ENCODED.metrics[at] === undefined),
        name,
      ).toEqual([]);
      expect(
        segments.filter((at) => ENCODED.segments[at] === undefined),
        name,
      ).toEqual([]);
    }
  });

  it('has constants for every ENUM, each once, and no others', () => {
    const encoded = [...Object.values(ENCODED.attributes).flat(), ...ENCODED.metrics, ...ENCODED.segments];
    const used = new Set(encoded.flatMap(([, type]) => /^ENUM:(\w+)/.exec(type)?.[1] ?? []));
    expect([...used].filter((name) => (ENCODED.enums[name] ?? []).length === 0)).toEqual([]);
    expect(Object.keys(ENCODED.enums).filter((name) => !used.has(name))).toEqual([]);
    for (const values of Object.values(ENCODED.enums)) expect(new Set(values).size).toBe(values.length);
  });

  it('has each metric and segment offered by some resource', () => {
    const offered = new Set([...resources.values()].flatMap(({ metrics, segments }) => [...metrics, ...segments]));
    const unoffered = [...fields.values()].filter(({ name, role }) => role !== 'attribute' && !offered.has(name));
    expect(unoffered.map(({ name }) => name)).toEqual([]);
  });

  it('describes every resource, and existing fields only', () => {
    expect([...resources.keys()].filter((name) => !descriptions.resources[name])).toEqual([]);
    expect(Object.keys(descriptions.fields).filter((name) => !fields.has(name))).toEqual([]);
    expect(Object.keys(descriptions.fields).length).toBeGreaterThan(0.95 * fields.size);
  });

  it('describes in single lines', () => {
    const texts = [...Object.values(descriptions.resources), ...Object.values(descriptions.fields)];
    expect(texts.filter((text) => text === '' || text.length > 240 || text.includes('\n'))).toEqual([]);
  });
});
