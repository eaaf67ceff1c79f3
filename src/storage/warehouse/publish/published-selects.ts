import type { DateRange } from '../../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../../domain/ids.ts';
import { columnOfField, hasDays, identifier, type StoredQuery } from '../query-table.ts';

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
function complete({ query, range: { from, to }, customers, campaigns = [] }: WantedSpend, schema?: string): string {
  const prefix = schema === undefined ? '' : `${schema}.`;
  const conditions = [
    'spend.customer_id = day.customer_id AND spend.date = day.date',
    `day.query = ${text(query)} AND day.state = ${text('settled')}`,
    `day.date BETWEEN ${text(from)} AND ${text(to)}`,
    ...among('day.customer_id', customers),
    ...among('spend.campaign_id', campaigns),
  ];
  return `FROM ${prefix}account_day AS day
CROSS JOIN ${prefix}${identifier(`${query}_by_day`)} AS spend${where(conditions)}`;
}

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
