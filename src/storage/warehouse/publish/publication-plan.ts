import { createHash, randomUUID } from 'node:crypto';
import { PUBLISHED_BUDGETS } from '../../columns/budget-columns.ts';
import { bySql, instant, text } from '../../columns/column.ts';
import type { PublishedView, SqlNames } from '../../columns/published-view.ts';
import { PUBLISHED_RUNS } from '../../columns/run-columns.ts';
import type { StateDb } from '../../records/record-store.ts';
import type { PublishedModel } from '../models/model-failure.ts';
import { hasDays, type StoredQuery, storedQueries } from '../query-table.ts';
import type { Publication } from '../store.ts';
import { ACCOUNT_DAY, calendar, DAY_READING } from './calendar-table.ts';
import { type DimensionTable, dimensionTables } from './dimensions.ts';
import { type NewestRows, newestRowsOf } from './newest-rows.ts';
import { periodTables } from './period-tables.ts';
import { publishedQuery } from './published-query.ts';
import { type Describe, type PublishedTable, publishedColumns, publishedTable, rowsAfter } from './published-table.ts';
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
}

export interface PlanFacts {
  readonly queries: readonly StoredQuery[];
  /** Each model comes after the models that it reads. */
  readonly models: readonly PublishedModel[];
  readonly nowMs: number;
  readonly token: string;
  readonly describe: Describe;
  readonly engine: PublishedNames;
}

/** The names and SQL that differ between the engines. */
export interface PublishedNames extends SqlNames {
  /** SQL of the first and the last day of each table, as `first` and `last`. */
  spans(tables: readonly string[]): string;
  /** SQL of the publication's time and token. */
  asOf(facts: Pick<PlanFacts, 'nowMs' | 'token'>): readonly [time: string, token: string];
}

/** A stored query with the name of a model is not published. */
export async function factsOf(
  db: StateDb,
  { nowMs, describe, models = [] }: Publication,
  engine: PublishedNames,
): Promise<PlanFacts> {
  const names = new Set(models.map(({ name }) => name));
  const queries = (await storedQueries(db)).filter(({ name }) => !names.has(name));
  return { queries, models, nowMs, token: randomUUID(), describe, engine };
}

/** Increase this number if a new version fills the same table definitions differently. */
const FILLED_AS = 1;

export function planPublication({ queries, describe, engine, ...now }: PlanFacts, extent: Extent): PublicationPlan {
  const dated = queries.filter(hasDays).map(({ name }) => name);
  const newest = queries.flatMap((query) => newestRowsOf(query) ?? []);
  const views = [
    ACCOUNT_DAY,
    DAY_READING,
    ...PUBLISHED_RUNS,
    asOf(engine.asOf(now), engine),
    ...PUBLISHED_BUDGETS,
    calendar(engine.spans(dated)),
  ];
  const own = (grows: boolean) =>
    views.filter((view) => (view.grows === true) === grows).map((view) => publishedTable(view, engine));
  return {
    queries: queries.map((query) => ({ query, table: publishedQuery(query, describe, engine, extent) })),
    newest,
    dated,
    dimensions: dimensionTables(newest, describe),
    periods: queries.map((query) => ({ query, tables: periodTables(query, engine, extent) })),
    small: own(false),
    growing: extent === 'all' ? own(true) : own(true).map((table) => rowsAfter(table, engine)),
  };
}

function asOf([time, token]: readonly [time: string, token: string], { records }: SqlNames): PublishedView {
  return {
    name: 'as_of',
    description:
      'One row with the publication time of this file and the service that its numbers come from. account_day has the times of the readings.',
    columns: [
      bySql(instant('as_of', 'Publication time of this file.'), time),
      bySql(text('target', 'The service.'), `(SELECT identity FROM ${records}.target)`),
      bySql(text('publication', 'Identifier of this publication. Each publication has a new one.'), token),
    ],
    key: [],
    from: () => '',
  };
}

/** The rows are added later, when the file is written. */
export const DICTIONARY: PublishedTable = {
  name: 'data_dictionary',
  description:
    'One row per table and one per column of this file, with unit and meaning. In rows of tables, column_name is empty.',
  columns: publishedColumns([
    text('table_name', 'The table.'),
    text('column_name', 'The column; empty for the table itself.'),
    text('type', "The column's declared type; 'table' for a table."),
    text('unit', 'Unit of the number; NULL if there is no unit or the unit is unknown.'),
    text('description', 'Meaning of the table or column.'),
  ]),
  key: ['table_name', 'column_name'],
  from: 'FROM (SELECT NULL AS table_name, NULL AS column_name, NULL AS type, NULL AS unit, NULL AS description) WHERE false',
  order: '',
  indexes: [],
};

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
  const tables = tablesOf(plan).map(({ name, columns, key, from, order, indexes }) => {
    const filled = columns.map((column) => [column.name, column.declared, column.expression]);
    return [name, filled, key, from, order, indexes];
  });
  const newest = plan.newest.map(({ query, ids }) => [query.columns, ids]);
  const models = facts.models.map(({ name, sql, columns }) => [name, sql, columns]);
  return createHash('sha256')
    .update(JSON.stringify([FILLED_AS, tables, newest, models]))
    .digest('hex');
}
