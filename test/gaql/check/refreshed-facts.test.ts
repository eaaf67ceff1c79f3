import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import type { Catalogue, CatalogueField } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { fieldOf } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { check, errorsOf, marked, messagesOf, placesOf } from '../findings.ts';

/** The shipped catalogue with more facts, as a refreshed one has them. */
function knowing(facts: Readonly<Record<string, Partial<CatalogueField>>>): Catalogue {
  const shipped = loadCatalogue('v25');
  const fields = new Map(shipped.fields);
  for (const [name, more] of Object.entries(facts)) {
    fields.set(name, { ...(fields.get(name) ?? fieldOf([name, 'STRING'])), ...more });
  }
  return { ...shipped, fields };
}

describe('a refreshed catalogue knows which clause accepts a field', () => {
  const catalogue = knowing({
    'experiment_arm.asset_groups.asset_group': { selectable: false, filterable: true, sortable: false },
    'campaign.name': { selectable: true, filterable: false, sortable: true },
    'campaign.labels': { selectable: true, filterable: true, sortable: false },
    'campaign.network_settings': { type: 'MESSAGE', selectable: false, filterable: false, sortable: false },
    'change_event.old_resource': { type: 'MESSAGE', selectable: true, filterable: true, sortable: false },
  });

  it.each<[text: string, code: string]>([
    [
      'SELECT experiment_arm.resource_name, «experiment_arm.asset_groups.asset_group» FROM experiment_arm',
      'PROHIBITED_FIELD_IN_SELECT_CLAUSE',
    ],
    ["SELECT campaign.id FROM campaign WHERE «campaign.name» = 'x'", 'PROHIBITED_FIELD_IN_WHERE_CLAUSE'],
    [
      'SELECT campaign.id, campaign.labels FROM campaign ORDER BY «campaign.labels»',
      'PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE',
    ],
    ['SELECT campaign.id, «campaign.network_settings» FROM campaign', 'PROHIBITED_FIELD_IN_SELECT_CLAUSE'],
  ])('%s', (text, code) => {
    const { source, places } = marked(text, code);
    expect(placesOf(source, { catalogue })).toEqual(places);
  });

  it.each([
    "SELECT experiment_arm.resource_name FROM experiment_arm WHERE experiment_arm.asset_groups.asset_group = 'customers/1/assetGroups/2'",
    'SELECT change_event.resource_name FROM change_event WHERE change_event.old_resource IS NOT NULL AND change_event.change_date_time DURING LAST_14_DAYS LIMIT 5',
  ])('allows %s', (source) => {
    expect(errorsOf(source, { catalogue })).toEqual([]);
  });

  it('names the clause that accepts a field, or the fields of a message', () => {
    const of = (select: string, from: string) => messagesOf(`SELECT ${select} FROM ${from}`, { catalogue })[0];
    expect(of('experiment_arm.asset_groups.asset_group', 'experiment_arm')).toBe(
      'SELECT does not accept "experiment_arm.asset_groups.asset_group". Only WHERE accepts it.',
    );
    expect(of('campaign.network_settings', 'campaign')).toMatch(
      /^SELECT does not accept "campaign.network_settings". Use its fields: campaign.network_settings\.\w+, /,
    );
  });
});

describe('a refreshed catalogue knows what goes with what', () => {
  const clicks = { 'metrics.clicks': { selectableWith: new Set(['segments.date', 'metrics.impressions']) } };
  const hour = { 'segments.hour': { selectableWith: new Set(['segments.date', 'metrics.impressions']) } };

  it('reports a metric with a segment that excludes it, also in WHERE', () => {
    const catalogue = knowing({ ...clicks, ...hour });
    const segment = 'PROHIBITED_SEGMENT_WITH_METRIC_IN_SELECT_OR_WHERE_CLAUSE';
    for (const text of [
      'SELECT campaign.id, metrics.clicks, «segments.hour» FROM campaign',
      'SELECT campaign.id, segments.hour, metrics.impressions FROM campaign WHERE «metrics.clicks» > 0',
    ]) {
      const { source, places } = marked(text, segment);
      expect(placesOf(source, { catalogue })).toEqual(places);
    }
  });

  it('reports two segments that exclude each other once', () => {
    const catalogue = knowing({ 'segments.hour': { selectableWith: new Set(['segments.date']) } });
    const text = 'SELECT campaign.id, segments.hour, «segments.device» FROM campaign WHERE segments.device = MOBILE';
    const { source, places } = marked(text, 'PROHIBITED_FIELD_COMBINATION_IN_SELECT_CLAUSE');
    expect(placesOf(source, { catalogue })).toEqual(places);
  });

  it.each<[sentence: string, facts: Readonly<Record<string, Partial<CatalogueField>>>]>([
    ['nothing is known', {}],
    ['one of both lists the other', { ...clicks, 'segments.hour': { selectableWith: new Set(['metrics.clicks']) } }],
    ['the list names no segment at all', { 'metrics.clicks': { selectableWith: new Set(['metrics.impressions']) } }],
  ])('allows both if %s', (_, facts) => {
    const source = 'SELECT campaign.id, metrics.clicks, segments.hour FROM campaign';
    expect(errorsOf(source, { catalogue: knowing(facts) })).toEqual([]);
  });
});

describe('unknown fields with the setting warn', () => {
  const warn = { unknownFields: 'warn' } as const;
  const NEW = 'SELECT campaign.id, campaign.quantum_flux_level, segments.date, metrics.tachyon_yield FROM campaign';

  it('are warnings, and become columns of text', () => {
    const source = `${NEW} WHERE segments.date DURING YESTERDAY AND metrics.tachyon_yield > 5 ORDER BY metrics.tachyon_yield`;
    const { query, diagnostics } = check(source, warn);
    expect(diagnostics.map(({ code, severity }) => `${code} ${severity}`)).toEqual(
      Array(4).fill('UNRECOGNIZED_FIELD warning'),
    );
    expect(query?.columns.map(({ name, type, role }) => [name, type, role])).toEqual([
      ['campaign_id', 'INT64', 'attribute'],
      ['campaign_quantum_flux_level', 'STRING', 'attribute'],
      ['date', 'DATE', 'segment'],
      ['tachyon_yield', 'STRING', 'metric'],
    ]);
    expect(query?.text).toContain('metrics.tachyon_yield > 5');
  });

  it('are errors by default', () => {
    expect(errorsOf(`${NEW} WHERE segments.date DURING YESTERDAY`)).toHaveLength(2);
  });

  it.each([
    ['a misspelt name', 'campaign.nam'],
    ['a name without its last word', 'metrics.cost'],
    ['a name without a dot', 'tachyon_yield'],
    ['a renamed field', 'campaign.start_date'],
    ['a part of a list', 'campaign.labels.quantum'],
    ['a whole resource', 'ad_group'],
  ])('stay errors for %s', (_, name) => {
    expect(errorsOf(`SELECT campaign.id, ${name} FROM campaign`, warn)).toHaveLength(1);
  });

  it('stay errors if the resource is unknown', () => {
    expect(errorsOf('SELECT quantum.flux, zork.blub FROM quantum', warn)).toHaveLength(2);
  });
});
