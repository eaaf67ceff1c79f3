import type { CatalogueField, DataType, FieldRole } from '../catalogue/catalogue.ts';
import { UNITS, unitOf } from '../catalogue/units.ts';

export interface Column {
  /** The alias, or a name made from the field, such as `cost_micros` from `metrics.cost_micros`. */
  readonly name: string;
  readonly field: string;
  /** Path in a result row, lowerCamelCase: `['metrics', 'costMicros']`. */
  readonly path: readonly string[];
  /** Lists also have the type `MESSAGE`, because their columns contain JSON. */
  readonly type: DataType;
  readonly role: FieldRole;
}

export function columnOf(field: CatalogueField, alias?: string): Column {
  const { role, type, repeated } = field;
  const name = alias ?? columnName(field.name);
  return { name, field: field.name, path: resultPath(field.name), type: repeated ? 'MESSAGE' : type, role };
}

export function columnName(field: string): string {
  return field.replace(/^(metrics|segments)\./, '').replaceAll('.', '_');
}

export const MICROS = '_micros';

/** Name of the column in currency units. Undefined if the column has no integer micros. */
export function amountColumn(name: string, type: DataType): string | undefined {
  return type === 'INT64' && name.endsWith(MICROS) ? name.slice(0, -MICROS.length) : undefined;
}

export function resultPath(field: string): string[] {
  return field.split('.').map((part) => part.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}

/** `Column.field` of a computed column that the model casts to a number or text. */
export const COMPUTED = 'computed';
/** `Column.field` of other computed columns, which may be ratios that do not add up. */
export const COMPUTED_OTHERWISE = 'computed.otherwise';

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
