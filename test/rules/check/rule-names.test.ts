import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { isSummable } from '../../../src/language/gaql/check/column.ts';
import { namesOf, usableNames } from '../../../src/language/rules/check/rule-names.ts';
import { QUERIES, queryNamed } from '../rule-fixtures.ts';

const stats = QUERIES.get('stats')?.columns ?? [];
const meaningIn = (select: string, name: string) =>
  namesOf(queryNamed('a', `SELECT campaign.id, ${select} FROM campaign`).columns, 'campaign', 'values').get(name);

describe('the names of a condition', () => {
  it('include columns except the day, an amount per micros column, computed names, the clock and the budget', () => {
    expect(usableNames(namesOf(stats, 'campaign', 'values'))).toEqual([
      ...'campaign_id campaign_name campaign_status campaign_budget_amount_micros'.split(' '),
      ...'campaign_budget_amount campaign_budget_explicitly_shared impressions clicks cost_micros cost'.split(' '),
      ...'ctr average_cpc weekday day_of_month days_left hour budget'.split(' '),
    ]);
  });

  it('are attributes only in "where"', () => {
    expect(usableNames(namesOf(stats, 'account', 'where'))).toEqual([
      ...'campaign_id campaign_name campaign_status campaign_budget_amount_micros'.split(' '),
      ...'campaign_budget_amount campaign_budget_explicitly_shared'.split(' '),
    ]);
  });

  it('of a table go before those of the clock, but a segment could not be used', () => {
    expect(meaningIn('metrics.clicks AS weekday', 'weekday')).toMatchObject({ kind: 'metric' });
    expect(meaningIn('segments.hour, metrics.clicks', 'hour')).toEqual({ kind: 'clock', name: 'hour' });
  });

  it('follow aliases; computed names are found by their fields', () => {
    const select = 'metrics.cost_micros AS spend_micros, metrics.clicks AS visits, metrics.impressions AS views';
    expect(meaningIn(select, 'spend')).toMatchObject({ column: 'spend_micros', inMicros: true, money: true });
    expect(meaningIn(select, 'ctr')).toMatchObject({ dividend: { column: 'visits' }, divisor: { column: 'views' } });
    expect(meaningIn(select, 'average_cpc')).toMatchObject({
      dividend: { column: 'spend_micros', inMicros: true, money: true },
      divisor: { column: 'visits', money: false },
    });
  });

  it('are computed from sums, even if the table has such a column', () => {
    const select = 'metrics.ctr, metrics.clicks, metrics.impressions';
    expect(meaningIn(select, 'ctr')).toMatchObject({ kind: 'quotient' });
  });

  it.each([
    ['metrics.ctr, metrics.clicks', 'ctr'],
    ['metrics.clicks', 'average_cpc'],
  ])('say what is missing: %s', (select, name) => {
    expect(meaningIn(select, name)).toMatchObject({ kind: 'refused', code: 'METRIC_NOT_SUMMABLE' });
  });

  it('are amounts if the service gives fractions of the currency unit', () => {
    expect(meaningIn('metrics.conversions_value', 'conversions_value')).toMatchObject({ money: true, type: 'DOUBLE' });
    expect(meaningIn('metrics.conversions', 'conversions')).toMatchObject({ money: false, type: 'DOUBLE' });
  });

  it('do not include built-in object names', () => {
    expect(namesOf(stats, 'campaign', 'values').get('constructor')).toBeUndefined();
  });
});

const metrics = [...loadCatalogue('v25').fields.values()].filter(({ role }) => role === 'metric');

/** Words that tell of a metric that it does not add up. */
const TELLING =
  /ctr$|rate|share|percent|average|_per_|cpm$|cpv$|unique|score|margin_of_error|p_value|bound|lift|viewability/;
/** It counts what was shared. */
const ADD_UP = ['metrics.youtube_shares'];

describe('metrics that add up over days', () => {
  it('are these', () => {
    const names = metrics.filter((field) =>
      isSummable({ field: field.name, type: field.repeated ? 'MESSAGE' : field.type }),
    );
    const short = names.map(({ name }) => name.replace('metrics.', ''));
    expect(
      short
        .join(' ')
        .match(/.{1,110}(?: |$)/g)
        ?.map((line) => line.trim()),
    ).toMatchInlineSnapshot(`
      [
        "active_view_audibility_measurable_impressions active_view_audible_impressions",
        "active_view_audible_thirty_seconds_impressions active_view_audible_two_seconds_impressions",
        "active_view_impressions active_view_measurable_cost_micros active_view_measurable_impressions all_conversions",
        "all_conversions_by_conversion_date all_conversions_from_click_to_call all_conversions_from_directions",
        "all_conversions_from_location_asset_click_to_call all_conversions_from_location_asset_directions",
        "all_conversions_from_location_asset_menu all_conversions_from_location_asset_order",
        "all_conversions_from_location_asset_other_engagement all_conversions_from_location_asset_store_visits",
        "all_conversions_from_location_asset_website all_conversions_from_menu all_conversions_from_order",
        "all_conversions_from_other_engagement all_conversions_from_store_visit all_conversions_from_store_website",
        "all_conversions_value all_conversions_value_by_conversion_date all_cost_of_goods_sold_micros",
        "all_cross_sell_cost_of_goods_sold_micros all_cross_sell_gross_profit_micros all_cross_sell_revenue_micros",
        "all_cross_sell_units_sold all_gross_profit_micros all_lead_cost_of_goods_sold_micros",
        "all_lead_gross_profit_micros all_lead_revenue_micros all_lead_units_sold all_new_customer_lifetime_value",
        "all_orders all_revenue_micros all_units_sold all_value_adjustment biddable_app_install_conversions",
        "biddable_app_post_install_conversions biddable_cohort_app_post_install_conversions",
        "biddable_indirect_install_first_in_app_conversion_micros clicks combined_clicks combined_queries",
        "control_clicks control_conversion_value control_conversions control_cost_micros control_impressions",
        "conversions conversions_by_conversion_date conversions_value conversions_value_by_conversion_date cost_micros",
        "cost_of_goods_sold_micros coviewed_impressions cross_device_conversions",
        "cross_device_conversions_by_conversion_date cross_device_conversions_value",
        "cross_device_conversions_value_by_conversion_date cross_device_conversions_value_micros",
        "cross_sell_cost_of_goods_sold_micros cross_sell_gross_profit_micros cross_sell_revenue_micros",
        "cross_sell_units_sold current_model_attributed_conversions current_model_attributed_conversions_value",
        "eligible_impressions_from_location_asset_store_reach engagements general_invalid_clicks gmail_forwards",
        "gmail_saves gmail_secondary_clicks gross_profit_micros hotel_eligible_impressions",
        "hotel_expected_commission_cost impressions interactions invalid_clicks lead_cost_of_goods_sold_micros",
        "lead_gross_profit_micros lead_revenue_micros lead_units_sold new_customer_lifetime_value orders organic_clicks",
        "organic_impressions organic_queries original_conversion_value phone_calls phone_impressions",
        "platform_comparable_conversions platform_comparable_conversions_by_conversion_date",
        "platform_comparable_conversions_value platform_comparable_conversions_value_by_conversion_date",
        "primary_impressions publisher_organic_clicks publisher_purchased_clicks publisher_unknown_clicks",
        "results_conversions_purchase revenue_micros sk_ad_network_installs sk_ad_network_total_conversions",
        "store_visits_last_click_model_attributed_conversions units_sold value_adjustment video_trueview_views",
        "video_watch_time_duration_millis view_through_conversions",
        "view_through_conversions_from_location_asset_click_to_call",
        "view_through_conversions_from_location_asset_directions view_through_conversions_from_location_asset_menu",
        "view_through_conversions_from_location_asset_order",
        "view_through_conversions_from_location_asset_other_engagement",
        "view_through_conversions_from_location_asset_store_visits view_through_conversions_from_location_asset_website",
        "youtube_comments youtube_likes youtube_shares",
      ]
    `);
  });

  it('exclude ratios, estimates and people by name', () => {
    const found = metrics.filter(({ name, type }) => TELLING.test(name) && isSummable({ field: name, type }));
    expect(found.map(({ name }) => name).filter((name) => !ADD_UP.includes(name))).toEqual([]);
  });
});
