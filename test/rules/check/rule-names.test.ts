import { describe, expect, it } from 'vitest';
import { namesOf, usableNames } from '../../../src/rules/check/rule-names.ts';
import { QUERIES, queryNamed } from '../rule-fixtures.ts';

const stats = QUERIES.get('stats')?.columns ?? [];
const meaningIn = (select: string, name: string) =>
  namesOf(queryNamed('a', `SELECT campaign.id, ${select} FROM campaign`).columns, 'campaign', 'values').get(name);

describe('the names of a condition', () => {
  it('are the columns but the day, an amount beside every micros, the computed ones and the budget', () => {
    expect(usableNames(namesOf(stats, 'campaign', 'values'))).toEqual([
      'campaign_id',
      'campaign_name',
      'campaign_status',
      'campaign_budget_amount_micros',
      'campaign_budget_amount',
      'campaign_budget_explicitly_shared',
      'impressions',
      'clicks',
      'cost_micros',
      'cost',
      'ctr',
      'average_cpc',
      'budget',
    ]);
  });

  it('are attributes alone where something is chosen', () => {
    expect(usableNames(namesOf(stats, 'account', 'where'))).toEqual([
      'campaign_id',
      'campaign_name',
      'campaign_status',
      'campaign_budget_amount_micros',
      'campaign_budget_amount',
      'campaign_budget_explicitly_shared',
    ]);
  });

  it('follow aliases, and what is computed is found by its fields', () => {
    const select = 'metrics.cost_micros AS spend_micros, metrics.clicks AS visits, metrics.impressions AS views';
    expect(meaningIn(select, 'spend')).toMatchObject({ column: 'spend_micros', inMicros: true, money: true });
    expect(meaningIn(select, 'ctr')).toMatchObject({ dividend: { column: 'visits' }, divisor: { column: 'views' } });
    expect(meaningIn(select, 'average_cpc')).toMatchObject({
      dividend: { column: 'spend_micros', inMicros: true, money: true },
      divisor: { column: 'visits', money: false },
    });
  });

  it('are computed from sums, also where the table has a column of the name', () => {
    const select = 'metrics.ctr, metrics.clicks, metrics.impressions';
    expect(meaningIn(select, 'ctr')).toMatchObject({ kind: 'quotient' });
  });

  it.each([
    ['metrics.ctr, metrics.clicks', 'ctr'],
    ['metrics.clicks', 'average_cpc'],
  ])('say what is missing: %s', (select, name) => {
    expect(meaningIn(select, name)).toMatchObject({ kind: 'refused', code: 'METRIC_NOT_SUMMABLE' });
  });

  it('are amounts where the service gives fractions of the currency unit', () => {
    expect(meaningIn('metrics.conversions_value', 'conversions_value')).toMatchObject({ money: true, type: 'DOUBLE' });
    expect(meaningIn('metrics.conversions', 'conversions')).toMatchObject({ money: false, type: 'DOUBLE' });
  });

  it('are none of those of every object', () => {
    expect(namesOf(stats, 'campaign', 'values').get('constructor')).toBeUndefined();
  });
});
