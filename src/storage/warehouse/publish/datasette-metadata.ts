import { identifier } from '../query-table.ts';
import type { PublishedTable } from './published-table.ts';

/**
 * Units are in the descriptions, because Datasette 1 removed its setting `units`.
 * https://docs.datasette.io/en/stable/metadata.html
 */
export function datasetteMetadata(tables: readonly PublishedTable[], asOf: string): string {
  const described = tables.map(({ name, description, columns }) => [
    name,
    {
      description,
      columns: Object.fromEntries(
        columns.map((column) => [
          column.name,
          column.unit === undefined ? column.description : `${column.description} Unit: ${column.unit}.`,
        ]),
      ),
    },
  ]);
  const metadata = {
    title: 'pacekeeper',
    description: `Search-advertising statistics and budget changes, published ${asOf}.`,
    databases: { warehouse: { tables: Object.fromEntries(described), queries: cannedQueries(tables) } },
  };
  return `${JSON.stringify(metadata, null, 2)}\n`;
}

function cannedQueries(tables: readonly PublishedTable[]): Record<string, { title: string; sql: string }> {
  const monthly = tables.filter(({ name, columns }) => name.endsWith('_by_month') && columns.some(isCost));
  return {
    how_fresh: {
      title: 'How fresh are the numbers, and what failed in the last run?',
      sql: 'SELECT as_of, as_of.target, state, started_at, failures, error FROM as_of CROSS JOIN run ORDER BY id DESC LIMIT 1',
    },
    days_not_settled: {
      title: 'Which days are missing or may still change?',
      sql: "SELECT query, customer_id, state, count(*) AS days, min(date) AS first, max(date) AS last FROM account_day WHERE state <> 'settled' GROUP BY query, customer_id, state",
    },
    budget_changes: {
      title: 'Which budgets were changed, and why?',
      sql: 'SELECT changed_at, campaign_name, from_amount, to_amount, currency, rule, actor, reason FROM budget_change ORDER BY id DESC',
    },
    budget_decisions: {
      title: 'What happened to each decided budget change?',
      sql: 'SELECT updated_at, state, code, campaign_name, from_amount, to_amount, currency, rule, actor, outcome FROM budget_intent ORDER BY id DESC',
    },
    ...Object.fromEntries(
      monthly.map(({ name }) => [
        `spend_of_${name}`,
        {
          title: `What did each campaign spend per month, in the rows of ${name}?`,
          sql: `SELECT month, customer_id, campaign_name, cost, currency, share_of_spend FROM ${identifier(name)} ORDER BY month DESC, customer_id, cost_micros DESC`,
        },
      ]),
    ),
  };
}

function isCost({ name }: PublishedTable['columns'][number]): boolean {
  return name === 'cost_micros';
}
