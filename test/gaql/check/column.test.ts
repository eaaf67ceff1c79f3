import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { columnOf, resultPath } from '../../../src/language/gaql/check/column.ts';

describe('columns of fields', () => {
  it.each([
    ['campaign.id', 'campaign_id', ['campaign', 'id']],
    ['metrics.cost_micros', 'cost_micros', ['metrics', 'costMicros']],
    ['segments.date', 'date', ['segments', 'date']],
    ['ad_group_criterion.keyword.match_type', 'ad_group_criterion_keyword_match_type', undefined],
    ['campaign.advertising_channel_type', 'campaign_advertising_channel_type', undefined],
  ])('%s is the column %s', (name, column, path) => {
    const field = loadCatalogue('v25').fields.get(name);
    if (!field) throw new Error(`no ${name}`);
    expect(columnOf(field)).toMatchObject({ name: column, field: name, type: field.type, role: field.role });
    if (path) expect(columnOf(field).path).toEqual(path);
  });

  it('B14: read results under lowerCamelCase names', () => {
    expect(resultPath('ad_group_criterion.keyword.match_type')).toEqual(['adGroupCriterion', 'keyword', 'matchType']);
    expect(resultPath('metrics.video_quartile_p_25_rate')).toEqual(['metrics', 'videoQuartileP25Rate']);
  });

  it('take their alias', () => {
    const field = loadCatalogue('v25').fields.get('metrics.cost_micros');
    expect(field && columnOf(field, 'spent')).toMatchObject({ name: 'spent', field: 'metrics.cost_micros' });
  });

  it('hold lists as JSON', () => {
    const field = loadCatalogue('v25').fields.get('campaign.labels');
    expect(field && columnOf(field)).toMatchObject({ name: 'campaign_labels', type: 'MESSAGE' });
  });
});
