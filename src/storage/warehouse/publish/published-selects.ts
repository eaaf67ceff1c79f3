import type { DateRange } from '../../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../../domain/ids.ts';
import { columnOfField, hasDays, identifier, type StoredQuery } from '../query-table.ts';
import { countedImpressions } from '../totals.ts';

export const RESULT_METRICS = ['conversions', 'conversions_value'] as const;
export type ResultMetric = (typeof RESULT_METRICS)[number];

/** Spend of complete days. An empty list restricts nothing. */
export interface WantedSpend {
  readonly query: string;
  readonly range: DateRange;
  readonly customers: readonly CustomerId[];
  readonly campaigns?: readonly CampaignId[];
  /** Summed beside cost and clicks. */
  readonly results?: readonly ResultMetric[];
}

/** The rows behind a sum: one per campaign and complete day. */
export function spendRows(wanted: WantedSpend): string {
  return `SELECT spend.*\n${complete(wanted)}\nORDER BY spend.date, spend.customer_id, spend.campaign_id`;
}

/**
 * One row per account and campaign, most spend first. A sum is NULL if one of its values is unknown. People see the SQL
 * without a schema.
 */
export function spendOfCampaigns(wanted: WantedSpend, schema?: string): string {
  const sum = (column: string) => `CASE WHEN count(${column}) = count(*) THEN sum(${column}) END AS ${column}`;
  const sums = ['cost_micros', 'clicks', ...(wanted.results ?? [])].map(sum);
  return `SELECT spend.customer_id, spend.campaign_id,
  ${sums.join(',\n  ')}\n${complete(wanted, schema)}\nGROUP BY spend.customer_id, spend.campaign_id\nORDER BY cost_micros DESC`;
}

/** SQLite takes the tables of a CROSS JOIN in this order. Otherwise, it may read all days of an account. */
function complete(
  { query, range: { from, to }, customers, campaigns = [] }: WantedSpend,
  schema?: string,
  { table = `${query}_by_day`, campaign = 'campaign_id' } = {},
): string {
  const prefix = schema === undefined ? '' : `${schema}.`;
  const conditions = [
    'spend.customer_id = day.customer_id AND spend.date = day.date',
    `day.query = ${text(query)} AND day.state = ${text('settled')}`,
    `day.date BETWEEN ${text(from)} AND ${text(to)}`,
    ...among('day.customer_id', customers),
    ...among(`spend.${identifier(campaign)}`, campaigns),
  ];
  return `FROM ${prefix}account_day AS day
CROSS JOIN ${prefix}${identifier(table)} AS spend${where(conditions)}`;
}

/** Texts that people bid on or searched for. */
export const TEXT_FIELDS = ['ad_group_criterion.keyword.text', 'search_term_view.search_term'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export interface WantedTexts extends Omit<WantedSpend, 'query' | 'results'> {
  readonly query: StoredQuery;
  readonly field: TextField;
}

/** One row per text, most spend first. Undefined if the query lacks a column. A sum is NULL if one of its values is unknown. */
export function spendOfTexts({ query, field, ...wanted }: WantedTexts, schema?: string): string | undefined {
  const nameOf = (name: string) => columnOfField(query, name)?.name;
  const [campaign, own, cost, clicks] = ['campaign.id', field, 'metrics.cost_micros', 'metrics.clicks'].map(nameOf);
  if (campaign === undefined || own === undefined || cost === undefined || clicks === undefined) return undefined;
  if (!hasDays(query)) return undefined;
  const match = nameOf('ad_group_criterion.keyword.match_type');
  const conversions = nameOf('metrics.conversions');
  const column = (name: string) => `spend.${identifier(name)}`;
  const sum = (name: string, title: string) =>
    `CASE WHEN count(${column(name)}) = count(*) THEN sum(${column(name)}) END AS ${title}`;
  const kind =
    match === undefined || field === 'search_term_view.search_term' ? [] : [`${column(match)} AS match_type`];
  const columns = [
    `${column(own)} AS text`,
    ...kind,
    sum(cost, 'cost_micros'),
    sum(clicks, 'clicks'),
    conversions === undefined ? 'CAST(NULL AS double precision) AS conversions' : sum(conversions, 'conversions'),
  ];
  const from = complete({ ...wanted, query: query.name }, schema, { table: query.name, campaign });
  return `SELECT ${columns.join(',\n  ')}\n${from}\nGROUP BY ${kind.length > 0 ? '1, 2' : '1'}\nORDER BY cost_micros DESC, text`;
}

/** Shares of the eligible impressions in search over complete days. NULL if the share of a day is unknown or not exact. */
export function impressionShares(wanted: WantedSpend, schema?: string): string {
  const days = complete(wanted, schema);
  const counted = (lost: string | undefined) =>
    countedImpressions({ impressions: 'impressions', share: SHARE_COLUMN, lost });
  return `SELECT CASE WHEN count(eligible) = count(*) THEN sum(impressions) / nullif(sum(eligible), 0) END AS shown,
  CASE WHEN count(eligible) = count(*) AND count(lost) = count(*) THEN sum(lost) / nullif(sum(eligible), 0) END AS lost
FROM (SELECT impressions, ${counted(undefined)} AS eligible,
  ${counted(LOST_COLUMN)} AS lost
${days}) AS days`;
}

const SHARE_COLUMN = 'search_impression_share';
/** A table by day with this column has the other columns, too. */
export const LOST_COLUMN = 'search_budget_lost_impression_share';

/** The current budgets. Undefined if the query does not list them. */
export function budgetRows(
  query: StoredQuery,
  customers: readonly CustomerId[] = [],
  budget?: BudgetId,
): string | undefined {
  const column = columnOfField(query, 'campaign_budget.id')?.name;
  if (column === undefined || hasDays(query)) return undefined;
  const conditions = [
    ...among('customer_id', customers),
    ...(budget === undefined ? [] : [`${identifier(column)} = ${budget}`]),
  ];
  return `SELECT * FROM ${identifier(query.name)}${where(conditions)}`;
}

/** Changes that took effect, newest first. */
export function changeRows(customers: readonly CustomerId[], budget?: BudgetId): string {
  const conditions = [...among('customer_id', customers), ...(budget === undefined ? [] : [`budget_id = ${budget}`])];
  return `SELECT * FROM budget_change${where(conditions)}\nORDER BY id DESC`;
}

function among(column: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`${column} IN (${ids.join(', ')})`];
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `\nWHERE ${conditions.join('\n  AND ')}`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
