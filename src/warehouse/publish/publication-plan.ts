import { createHash } from 'node:crypto';
import { instantText } from '../../domain/civil-date.ts';
import { bySql, instant, text } from '../../views/kit/column.ts';
import type { PublishedView } from '../../views/kit/published-view.ts';
import { PUBLISHED_BUDGETS } from '../../views/published-budgets.ts';
import { PUBLISHED_RUNS } from '../../views/published-runs.ts';
import type { Model } from '../models/model.ts';
import { hasDays, type StoredQuery } from '../query-table.ts';
import { ACCOUNT_DAY, CALENDAR, DAY_READING } from './calendar-table.ts';
import { type DimensionTable, dimensionTables } from './dimensions.ts';
import { type NewestRows, newestRowsOf } from './newest-rows.ts';
import { periodTables } from './period-tables.ts';
import { publishedQuery } from './published-query.ts';
import { type Describe, type PublishedTable, publishedTable } from './published-table.ts';
import type { Extent } from './spans.ts';

/** The tables are filled in the order of these groups. */
export interface PublicationPlan {
  readonly queries: readonly { readonly query: StoredQuery; readonly table: PublishedTable }[];
  readonly newest: readonly NewestRows[];
  /** The calendar covers the days of these tables and of `account_day`. */
  readonly dated: readonly string[];
  readonly dimensions: readonly DimensionTable[];
  readonly periods: readonly { readonly query: StoredQuery; readonly tables: readonly PublishedTable[] }[];
  readonly small: readonly PublishedTable[];
  /** When a published file is updated, these tables only get additional rows. */
  readonly growing: readonly PublishedTable[];
  readonly models: readonly Model[];
}

export interface PlanFacts {
  readonly queries: readonly StoredQuery[];
  /** Each model comes after the models that it reads. */
  readonly models: readonly Model[];
  readonly nowMs: number;
  readonly token: string;
  readonly describe: Describe;
}

/** Increase this number if a new version fills the same table definitions differently. */
const FILLED_AS = 1;

export function planPublication(
  { queries, models, nowMs, token, describe }: PlanFacts,
  extent: Extent,
): PublicationPlan {
  const newest = queries.flatMap((query) => newestRowsOf(query) ?? []);
  const own = [ACCOUNT_DAY, DAY_READING, ...PUBLISHED_RUNS, asOf(nowMs, token), ...PUBLISHED_BUDGETS, CALENDAR];
  return {
    queries: queries.map((query) => ({ query, table: publishedQuery(query, describe, extent) })),
    newest,
    dated: queries.filter(hasDays).map(({ name }) => name),
    dimensions: dimensionTables(newest, describe),
    periods: queries.map((query) => ({ query, tables: periodTables(query, extent) })),
    small: own.filter(({ grows }) => grows !== true).map(publishedTable),
    growing: own.filter(({ grows }) => grows === true).map(publishedTable),
    models,
  };
}

function asOf(nowMs: number, token: string): PublishedView {
  return {
    name: 'as_of',
    description:
      'One row with the publication time of this file and the service that its numbers come from. account_day has the times of the readings.',
    columns: [
      bySql(instant('as_of', 'Publication time of this file.'), `'${instantText(nowMs)}'`),
      bySql(text('target', 'The service.'), '(SELECT identity FROM state.target)'),
      bySql(text('publication', 'Identifier of this publication. Each publication has a new one.'), `'${token}'`),
    ],
    key: [],
    from: '',
  };
}

/** The rows are added later, when the file is written. */
export const DICTIONARY = publishedTable({
  name: 'data_dictionary',
  description:
    'One row per table and one per column of this file, with unit and meaning. In rows of tables, column_name is empty.',
  columns: [
    text('table_name', 'The table.'),
    text('column_name', 'The column; empty for the table itself.'),
    text('type', "The column's declared type; 'table' for a table."),
    text('unit', 'Unit of the number; NULL if there is no unit or the unit is unknown.'),
    text('description', 'Meaning of the table or column.'),
  ],
  key: ['table_name', 'column_name'],
  from: 'FROM (SELECT NULL AS table_name, NULL AS column_name, NULL AS type, NULL AS unit, NULL AS description) WHERE 0',
});

/** Excludes models, because the types of their columns may depend on values. */
export function tablesOf({ queries, dimensions, periods, small, growing }: PublicationPlan): readonly PublishedTable[] {
  return [
    ...queries.map(({ table }) => table),
    ...dimensions.map(({ table }) => table),
    ...periods.flatMap(({ tables }) => tables),
    ...small,
    ...growing,
    DICTIONARY,
  ];
}

/** If the fingerprint has changed, the next publication writes the file from scratch. */
export function fingerprint(facts: PlanFacts): string {
  const plan = planPublication({ ...facts, nowMs: 0, token: '' }, 'all');
  const tables = tablesOf(plan).map(({ name, columns, key, from, indexes }) => {
    const filled = columns.map((column) => [column.name, column.declared, column.expression]);
    return [name, filled, key, from, indexes];
  });
  const newest = plan.newest.map(({ query, ids }) => [query.columns, ids]);
  const models = plan.models.map(({ name, sql, columns }) => [name, sql, columns]);
  return createHash('sha256')
    .update(JSON.stringify([FILLED_AS, tables, newest, models]))
    .digest('hex');
}
