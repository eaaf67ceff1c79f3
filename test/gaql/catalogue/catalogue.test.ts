import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import {
  type CatalogueField,
  isSelectable,
  ownerOf,
  RENAMED_FIELDS,
  renamedField,
  selectableFields,
} from '../../../src/language/gaql/catalogue/catalogue.ts';
import { SPECIFICATION_CATALOGUE } from '../../../src/language/gaql/catalogue/specification-catalogue.ts';
import { sent } from '../findings.ts';

const V25 = loadCatalogue('v25');

const SPECIFIED = [
  ...'campaign.id campaign.name campaign.advertising_channel_type ad_group.id ad_group.name'.split(' '),
  ...'ad_group.status ad_group_criterion.criterion_id ad_group_criterion.status'.split(' '),
  ...'ad_group_criterion.keyword.text ad_group_criterion.keyword.match_type metrics.impressions'.split(' '),
  ...'metrics.clicks metrics.cost_micros segments.date'.split(' '),
];

describe('selectable fields', () => {
  it('B13: match the keyword_view table of the specification exactly', () => {
    const resource = SPECIFICATION_CATALOGUE.resources.get('keyword_view');
    if (!resource) throw new Error('no keyword_view');
    expect([...SPECIFICATION_CATALOGUE.fields.keys()]).toEqual(SPECIFIED);
    expect(selectableFields(SPECIFICATION_CATALOGUE, resource)).toHaveLength(SPECIFIED.length);
  });

  it('B13: include every field of the specification in one query', () => {
    expect(sent(`SELECT ${SPECIFIED.join(',')} FROM keyword_view WHERE segments.date DURING LAST_7_DAYS`)).toBe(
      `SELECT ${SPECIFIED.join(', ')} FROM keyword_view WHERE segments.date DURING LAST_7_DAYS`,
    );
  });

  it.each([
    ['an attribute of the resource itself', 'campaign', 'campaign.name', true],
    ['an attribute of an attributed resource', 'campaign', 'campaign_budget.id', true],
    ['an attribute of another resource', 'campaign', 'ad_group.id', false],
    ['an attribute of a resource that splits its rows', 'campaign_budget', 'campaign.id', true],
    ['a resource with the same name prefix', 'ad_group', 'ad_group_ad.status', false],
    ['a metric', 'keyword_view', 'metrics.clicks', true],
    ['a metric of a resource without metrics', 'campaign_criterion', 'metrics.clicks', false],
    ['a segment of a resource without segments', 'campaign_criterion', 'segments.date', false],
  ])('knows whether %s is selectable', (_, from, name, selectable) => {
    const resource = V25.resources.get(from);
    const field = V25.fields.get(name) as CatalogueField;
    expect(resource && isSelectable(resource, field)).toBe(selectable);
  });

  it('has constants for every ENUM and for nothing else', () => {
    for (const field of V25.fields.values()) {
      expect(field.values.length > 0).toBe(field.type === 'ENUM');
    }
  });

  it('knows the owner of a field; a name without a dot owns itself', () => {
    expect(['campaign.id', 'metrics.clicks', 'ad_group_ad.ad.id', 'campaign', ''].map(ownerOf)).toEqual([
      'campaign',
      'metrics',
      'ad_group_ad',
      'campaign',
      '',
    ]);
  });
});

describe('a renamed field', () => {
  const { fields } = loadCatalogue('v25');

  it.each(RENAMED_FIELDS)('%s is gone, and its new name exists', (old) => {
    expect(fields.has(old)).toBe(false);
    expect(fields.has(renamedField(old)?.name ?? '')).toBe(true);
    expect(renamedField(old)?.since).toMatch(/^v\d+$/);
  });

  it('is known in any letter case; other names are not', () => {
    expect(renamedField('Metrics.Video_Views')?.name).toBe('metrics.video_trueview_views');
    for (const name of ['campaign.id', 'constructor', '']) expect(renamedField(name)).toBeUndefined();
  });
});
