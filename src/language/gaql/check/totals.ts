import { UNITS, unitOf } from '../catalogue/units.ts';
import type { Column } from './column.ts';

export const RATIOS = {
  ctr: ['metrics.clicks', 'metrics.impressions'],
  average_cpc: ['metrics.cost_micros', 'metrics.clicks'],
  cpa: ['metrics.cost_micros', 'metrics.conversions'],
  roas: ['metrics.conversions_value', 'metrics.cost_micros'],
} as const;

export const IMPRESSIONS_FIELD = 'metrics.impressions';
export const SHARE_FIELD = 'metrics.search_impression_share';
export const LOST_FIELDS = [
  'metrics.search_budget_lost_impression_share',
  'metrics.search_rank_lost_impression_share',
] as const;

/** Averages, bounds and scores do not add up over days or rows. */
const PER_SOMETHING =
  /average|_per_|_cpm$|_(lower|upper)_bound$|_winner_score$|_point_estimate$|_margin_of_error$|_p_value$|^metrics\.(benchmark|headroom)_/;
/** Every day counts the same people again or repeats the same score, so a sum over days would be wrong. */
const SAME_EVERY_DAY =
  /unique_|brand_lift|lifted_cookie|conversion_lift|metrics\.incremental_|_score(_|$)|_count$|\.svr$|optimization_score/;

export function isSummable({ field, type }: Pick<Column, 'field' | 'type'>): boolean {
  if (type !== 'INT64' && type !== 'DOUBLE') return false;
  const unit = unitOf(field, type);
  if (unit === UNITS.ratio || unit === UNITS.ratioMicros) return false;
  return !PER_SOMETHING.test(field) && !SAME_EVERY_DAY.test(field);
}
