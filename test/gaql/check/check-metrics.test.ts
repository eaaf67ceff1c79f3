import { describe, expect, it } from 'vitest';
import { errorsOf, marked, messagesOf, placesOf } from '../findings.ts';

const WEEK = 'FROM campaign WHERE segments.date DURING LAST_7_DAYS';
const CODE = 'PROHIBITED_SEGMENT_WITH_METRIC_IN_SELECT_OR_WHERE_CLAUSE';

describe('a segment of conversions', () => {
  it.each([
    ['splits conversions', `SELECT campaign.id, segments.conversion_action, metrics.conversions ${WEEK}`],
    [
      'splits values and all conversions',
      `SELECT campaign.id, segments.conversion_action, segments.conversion_action_name, metrics.all_conversions, metrics.conversions_value, metrics.value_per_conversion, metrics.view_through_conversions ${WEEK}`,
    ],
    [
      'leaves ratios to the service',
      `SELECT campaign.id, segments.conversion_action, metrics.cost_per_conversion ${WEEK}`,
    ],
    ['needs no metric', `SELECT campaign.id, segments.conversion_action_category ${WEEK}`],
    ['excludes clicks', `SELECT campaign.id, segments.conversion_action, «metrics.clicks» ${WEEK}`, CODE],
    [
      'excludes impressions',
      `SELECT campaign.id, segments.conversion_action_name, «metrics.impressions» ${WEEK}`,
      CODE,
    ],
    ['excludes costs', `SELECT campaign.id, segments.conversion_lag_bucket, «metrics.cost_micros» ${WEEK}`, CODE],
    [
      'excludes averages',
      `SELECT campaign.id, segments.external_conversion_source, «metrics.average_cpc» ${WEEK}`,
      CODE,
    ],
    [
      'excludes impression shares',
      `SELECT campaign.id, segments.conversion_action_category, «metrics.search_budget_lost_impression_share» ${WEEK}`,
      CODE,
    ],
    [
      'excludes each of several, once',
      `SELECT campaign.id, segments.conversion_attribution_event_type, «metrics.clicks», «metrics.ctr» ${WEEK} AND metrics.clicks > 0`,
      CODE,
      CODE,
    ],
    [
      'excludes them in WHERE',
      `SELECT campaign.id, segments.conversion_action, metrics.conversions ${WEEK} AND «metrics.clicks» > 0`,
      CODE,
    ],
  ])('%s', (_, text, ...codes) => {
    const { source, places } = marked(text, ...codes);
    expect(placesOf(source)).toEqual(places);
  });
});

describe('metrics without a period', () => {
  it.each([
    ['get a warning', 'SELECT campaign.id, «metrics.clicks», metrics.ctr FROM campaign'],
    ['get it beside other conditions', 'SELECT campaign.id, «metrics.clicks» FROM campaign WHERE campaign.id = 5'],
  ])('%s', (_, text) => {
    const { source, places } = marked(text, 'METRICS_WITHOUT_PERIOD (warning)');
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['with a period', `SELECT campaign.id, metrics.clicks ${WEEK}`],
    ['with a month', "SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.month = '2026-01-01'"],
    ['with a first day', "SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.date >= '2026-01-01'"],
    ['without metrics', 'SELECT campaign.id FROM campaign'],
    [
      'of a resource without days',
      'SELECT asset_group_top_combination_view.resource_name FROM asset_group_top_combination_view',
    ],
    ['of a query with an error', 'SELECT campaign.id, metrics.clicks, campaign.nme FROM campaign'],
  ])('get none %s', (_, text) => {
    expect(placesOf(text).join()).not.toContain('METRICS_WITHOUT_PERIOD');
  });

  it('learn the period of the service', () => {
    const text = 'SELECT campaign.id, metrics.clicks FROM campaign';
    expect(errorsOf(text)).toEqual([]);
    expect(messagesOf(text)).toEqual([
      'The query names no period, so the metrics cover all time, until the moment of each run. For a period, add WHERE segments.date DURING LAST_30_DAYS.',
    ]);
    expect(messagesOf(`${text} WHERE campaign.id = 5`)[0]).toContain('add AND segments.date DURING');
  });
});
