import { identifier } from '../query-table.ts';
import type { Reader } from './lineage.ts';
import type { PublishedTable } from './published-table.ts';

/** A question about the published tables. Its name is part of an address in Datasette. */
export interface Question extends Reader {
  readonly title: string;
  readonly sql: string;
}

interface AskedTable extends Pick<PublishedTable, 'name' | 'sources'> {
  readonly columns: readonly { readonly name: string }[];
}

const question = (name: string, title: string, reads: readonly string[], sql: string): Question => ({
  kind: 'question',
  name,
  title,
  reads,
  sql,
});

/** Both `/explore` and `metadata.json` list them. */
export function questionsOn(tables: readonly AskedTable[]): readonly Question[] {
  const withCost = (ending: string) =>
    tables.filter(({ name, columns }) => name.endsWith(ending) && columns.some((one) => one.name === 'cost_micros'));
  return [
    question(
      'how_fresh',
      'How fresh are the numbers, and what failed in the last run?',
      ['as_of', 'run'],
      'SELECT as_of, as_of.target, state, started_at, failures, error\nFROM as_of CROSS JOIN run\nORDER BY id DESC\nLIMIT 1',
    ),
    question(
      'days_not_settled',
      'Which days are missing or may still change?',
      ['account_day'],
      "SELECT query, customer_id, state, count(*) AS days, min(date) AS first, max(date) AS last\nFROM account_day\nWHERE state <> 'settled'\nGROUP BY query, customer_id, state",
    ),
    question(
      'budget_changes',
      'Which budgets were changed, and why?',
      ['budget_change'],
      'SELECT changed_at, campaign_name, from_amount, to_amount, currency, rule, actor, reason\nFROM budget_change\nORDER BY id DESC',
    ),
    question(
      'budget_decisions',
      'What happened to each decided budget change?',
      ['budget_intent'],
      'SELECT updated_at, state, code, campaign_name, from_amount, to_amount, currency, rule, actor, outcome\nFROM budget_intent\nORDER BY id DESC',
    ),
    ...withCost('_by_day').map((table) =>
      question(
        `daily_spend_of_${table.name}`,
        `What was spent on each day, in the rows of ${table.name}?`,
        withSources(table),
        `SELECT date, currency, sum(cost_micros) AS cost_micros\nFROM ${identifier(table.name)}\nGROUP BY date, currency\nORDER BY date`,
      ),
    ),
    ...withCost('_by_month').map((table) =>
      question(
        `spend_of_${table.name}`,
        `What did each campaign spend per month, in the rows of ${table.name}?`,
        withSources(table),
        `SELECT month, customer_id, campaign_name, cost, currency, share_of_spend\nFROM ${identifier(table.name)}\nORDER BY month DESC, customer_id, cost_micros DESC`,
      ),
    ),
  ];
}

const withSources = ({ name, sources = [] }: AskedTable) => [name, ...sources.map((source) => source.name)];
