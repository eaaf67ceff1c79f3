import { UNITS, unitOf } from '../gaql/catalogue/units.ts';
import type { Column } from '../gaql/check/column.ts';

/** Averages, bounds and scores: their numbers of several days or rows do not add up to that of all of them. */
const PER_SOMETHING =
  /average|_per_|_cpm$|_(lower|upper)_bound$|_winner_score$|_point_estimate$|_margin_of_error$|_p_value$|^metrics\.(benchmark|headroom)_/;
/** People, results of studies and states: the same one counts on every day. */
const SAME_EVERY_DAY =
  /unique_|brand_lift|lifted_cookie|conversion_lift|metrics\.incremental_|_score(_|$)|_count$|\.svr$|optimization_score/;

/** Whether the metric's values of several days and rows add up to its value of all of them. */
export function isSummable({ field, type }: Pick<Column, 'field' | 'type'>): boolean {
  if (type !== 'INT64' && type !== 'DOUBLE') return false;
  const unit = unitOf(field, type);
  if (unit === UNITS.ratio || unit === 'micros of a ratio') return false;
  return !PER_SOMETHING.test(field) && !SAME_EVERY_DAY.test(field);
}

/** What the common ratios are made of: the fields to select, and what to write. */
const PARTS: Readonly<Record<string, readonly [fields: readonly string[], written: string]>> = {
  average_cost: [['cost_micros', 'interactions'], 'cost / interactions'],
  average_cpm: [['cost_micros', 'impressions'], '1000 * cost / impressions'],
  average_cpe: [['cost_micros', 'engagements'], 'cost / engagements'],
  trueview_average_cpv: [['cost_micros', 'video_trueview_views'], 'cost / video_trueview_views'],
  interaction_rate: [['interactions', 'impressions'], 'interactions / impressions'],
  engagement_rate: [['engagements', 'impressions'], 'engagements / impressions'],
  cost_per_conversion: [['cost_micros', 'conversions'], 'cost / conversions'],
  cost_per_all_conversions: [['cost_micros', 'all_conversions'], 'cost / all_conversions'],
  conversions_from_interactions_rate: [['conversions', 'interactions'], 'conversions / interactions'],
  all_conversions_from_interactions_rate: [['all_conversions', 'interactions'], 'all_conversions / interactions'],
  value_per_conversion: [['conversions_value', 'conversions'], 'conversions_value / conversions'],
  value_per_all_conversions: [['all_conversions_value', 'all_conversions'], 'all_conversions_value / all_conversions'],
  conversions_value_per_cost: [['conversions_value', 'cost_micros'], 'conversions_value / cost'],
  all_conversions_value_per_cost: [['all_conversions_value', 'cost_micros'], 'all_conversions_value / cost'],
  average_order_value_micros: [['revenue_micros', 'orders'], 'revenue / orders'],
  average_cart_size: [['units_sold', 'orders'], 'units_sold / orders'],
  gross_profit_margin: [['gross_profit_micros', 'revenue_micros'], 'gross_profit / revenue'],
};

/** What to select and to write in the place of a metric that is not {@link isSummable}. */
export function partsHint({ field }: Pick<Column, 'field'>): string {
  const parts = PARTS[field.replace(/^metrics\./, '')];
  if (!parts) return 'Select the counts that it is made of and divide their sums, as cost / clicks does.';
  const [fields, written] = parts;
  return `Select ${fields.map((name) => `metrics.${name}`).join(' and ')}, and write ${written}.`;
}
