import { describe, expect, it } from 'vitest';
import {
  type CatalogueField,
  isSelectable,
  PUBLIC_CATALOGUE,
  SPECIFICATION_CATALOGUE,
  selectableFields,
} from '../../../src/gaql/catalogue/catalogue.ts';
import { sent } from '../findings.ts';

const SPECIFIED = [
  ...['campaign.id', 'campaign.name', 'campaign.advertising_channel_type'],
  ...['ad_group.id', 'ad_group.name', 'ad_group.status'],
  ...['ad_group_criterion.criterion_id', 'ad_group_criterion.status'],
  ...['ad_group_criterion.keyword.text', 'ad_group_criterion.keyword.match_type'],
  ...['metrics.impressions', 'metrics.clicks', 'metrics.cost_micros', 'segments.date'],
];

describe('what can be asked', () => {
  it("B13: of the specification's keyword_view is its table, every field and no other", () => {
    const resource = SPECIFICATION_CATALOGUE.resources.get('keyword_view');
    if (!resource) throw new Error('no keyword_view');
    expect([...SPECIFICATION_CATALOGUE.fields.keys()]).toEqual(SPECIFIED);
    expect(selectableFields(SPECIFICATION_CATALOGUE, resource)).toHaveLength(SPECIFIED.length);
  });

  it('B13: every field of the specification can be selected at once', () => {
    expect(sent(`SELECT ${SPECIFIED.join(',')} FROM keyword_view WHERE segments.date DURING LAST_7_DAYS`)).toBe(
      `SELECT ${SPECIFIED.join(', ')} FROM keyword_view WHERE segments.date DURING LAST_7_DAYS`,
    );
  });

  it.each([
    ['an attribute of the resource itself', 'campaign', 'campaign.name', true],
    ['an attribute of an attributed resource', 'campaign', 'campaign_budget.id', true],
    ['an attribute of another resource', 'campaign', 'ad_group.id', false],
    ['a resource whose name only begins the same', 'campaign_budget', 'campaign.id', false],
    ['a metric', 'keyword_view', 'metrics.clicks', true],
    ['a metric where there are none', 'campaign_budget', 'metrics.clicks', false],
    ['a segment where there are none', 'campaign_budget', 'segments.date', false],
  ])('knows whether %s is selectable', (_, from, name, selectable) => {
    const resource = PUBLIC_CATALOGUE.resources.get(from);
    const field = PUBLIC_CATALOGUE.fields.get(name) as CatalogueField;
    expect(resource && isSelectable(resource, field)).toBe(selectable);
  });

  it('has constants for every ENUM and for nothing else', () => {
    for (const field of PUBLIC_CATALOGUE.fields.values()) {
      expect(field.values.length > 0).toBe(field.type === 'ENUM');
    }
  });
});
