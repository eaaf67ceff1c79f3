import type { CatalogueField, CatalogueResource } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { FieldRef, Query } from '../syntax/tree.ts';
import { DATE_FIELD, isCoreDate } from './check-dates.ts';

/** Segments by which impressions, clicks and costs cannot be split. */
const OF_CONVERSIONS: ReadonlySet<string> = new Set([
  'segments.conversion_action',
  'segments.conversion_action_category',
  'segments.conversion_action_name',
  'segments.conversion_adjustment',
  'segments.conversion_attribution_event_type',
  'segments.conversion_lag_bucket',
  'segments.conversion_or_adjustment_lag_bucket',
  'segments.external_conversion_source',
]);

const BEFORE_CONVERSION = new RegExp(
  `^metrics\\.(?:${[
    'impressions|clicks|cost_micros|ctr|interactions|interaction_rate|interaction_event_types',
    'engagements|engagement_rate|average_cost|average_cp[cemv]|trueview_average_cpv',
    'invalid_clicks|invalid_click_rate|active_view_\\w+|gmail_\\w+|relative_ctr|bounce_rate|percent_new_visitors',
    'average_page_views|average_time_on_site|phone_calls|phone_impressions|phone_through_rate',
    'search_\\w*(?:impression|click)_share|content_\\w*impression_share|(?:absolute_)?top_impression_percentage',
    'video_quartile_\\w+|video_trueview_view\\w+',
  ].join('|')})$`,
);

export function checkConversionSegments(tree: Query, report: Report): void {
  const used = fieldsOf(tree);
  const segment = used.find(({ name }) => OF_CONVERSIONS.has(name));
  if (!segment) return;
  const told = new Set<string>();
  for (const { name, span } of used) {
    if (!BEFORE_CONVERSION.test(name) || told.has(name)) continue;
    told.add(name);
    report({
      code: 'PROHIBITED_SEGMENT_WITH_METRIC_IN_SELECT_OR_WHERE_CLAUSE',
      span,
      message: `${quote(name)} cannot be used with ${segment.name}, which splits conversions only.`,
      hint: 'Write two query files, one with the segment and the conversions, one with the other metrics.',
    });
  }
}

/** Without a period, the service counts metrics over all time. */
export function warnOfNoPeriod(tree: Query, { segments }: CatalogueResource, report: Report): void {
  const metric = tree.select.find(({ name }) => name.startsWith('metrics.'));
  const namesPeriod = tree.where.some(({ field }) => isCoreDate(field.name));
  if (!metric || namesPeriod || !segments.has(DATE_FIELD)) return;
  const message = 'The query names no period, so the metrics cover all time, until the moment of each run.';
  const hint = `For a period, add ${tree.where.length > 0 ? 'AND' : 'WHERE'} ${DATE_FIELD} DURING LAST_30_DAYS.`;
  report({ code: 'METRICS_WITHOUT_PERIOD', severity: 'warning', span: metric.span, message, hint });
}

function fieldsOf({ select, where }: Query): readonly FieldRef[] {
  return [...select, ...where.map(({ field }) => field)];
}

export interface UsedField {
  readonly ref: FieldRef;
  readonly field: CatalogueField;
}

/** Reports nothing if the catalogue does not know which fields the service combines. */
export function checkCombinations(used: readonly UsedField[], report: Report): void {
  const earlier = new Map<string, CatalogueField>();
  for (const { ref, field } of used) {
    if (field.role === 'attribute' || earlier.has(field.name)) continue;
    const other = [...earlier.values()].find((one) => exclude(one, field));
    earlier.set(field.name, field);
    if (other === undefined) continue;
    const areAlike = other.role === field.role;
    report({
      code: areAlike
        ? 'PROHIBITED_FIELD_COMBINATION_IN_SELECT_CLAUSE'
        : 'PROHIBITED_SEGMENT_WITH_METRIC_IN_SELECT_OR_WHERE_CLAUSE',
      span: ref.span,
      message: `${quote(field.name)} cannot be used with ${other.name}.`,
      hint: 'Write two query files, each with one of them.',
    });
  }
}

/** Lists of combinable fields can be incomplete, so one list that allows the pair is enough. */
function exclude(one: CatalogueField, other: CatalogueField): boolean {
  const verdicts = [allows(one, other), allows(other, one)];
  return verdicts.includes(false) && !verdicts.includes(true);
}

/** Undefined if the list names no field of the same kind (metric or segment). */
function allows({ selectableWith }: CatalogueField, { name }: CatalogueField): boolean | undefined {
  if (selectableWith === undefined) return undefined;
  if (selectableWith.has(name)) return true;
  const kind = name.slice(0, name.indexOf('.') + 1);
  return [...selectableWith].some((listed) => listed.startsWith(kind)) ? false : undefined;
}
