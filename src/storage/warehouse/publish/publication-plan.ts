import { createHash, randomUUID } from 'node:crypto';
import { PUBLISHED_BUDGETS } from '../../columns/budget-columns.ts';
import { bySql, flag, instant, text } from '../../columns/column.ts';
import { PUBLISHED_TESTS } from '../../columns/data-test-columns.ts';
import type { PublishedView, SqlNames } from '../../columns/published-view.ts';
import { PUBLISHED_RUNS } from '../../columns/run-columns.ts';
import { PUBLISHED_TARGETS } from '../../columns/target-columns.ts';
import type { StateDb } from '../../records/record-store.ts';
import type { PublishedModel } from '../models/model-failure.ts';
import { hasDays, type StoredQuery, storedQueries } from '../query-table.ts';
import type { Publication } from '../store.ts';
import { accountDay, type ConversionWindows, calendar, DAY_READING } from './calendar-table.ts';
import { campaignDay, mostClicked } from './campaign-day.ts';
import { type DimensionTable, dimensionTables } from './dimensions.ts';
import { type Named, namedWords, type Reader, readersIn } from './lineage.ts';
import { type NewestRows, newestRowsOf } from './newest-rows.ts';
import { periodTables } from './period-tables.ts';
import { publishedQuery } from './published-query.ts';
import {
  type DeclaredType,
  type Describe,
  type PublishedTable,
  publishedColumns,
  publishedTable,
  rowsAfter,
} from './published-table.ts';
import { questionsOn } from './questions.ts';
import type { Extent } from './spans.ts';

/** The tables are filled in the order of these groups, but `periods` after `small`. */
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
  readonly views: readonly PublishedTable[];
}

export interface PlanFacts {
  readonly queries: readonly StoredQuery[];
  /** The query whose days the report uses, if one has spend by campaign and day. */
  readonly ofReport: string | undefined;
  readonly conversions: ConversionWindows;
  /** Each model comes after the models that it reads. */
  readonly models: readonly PublishedModel[];
  readonly readers: readonly Reader[];
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
  /** SQL of whether the conversions of a row of `account_day` were complete when it was read. */
  readLate(windows: ConversionWindows): string;
}

/** A stored query with the name of a model is not published. */
export async function factsOf(
  db: StateDb,
  { nowMs, describe, models = [], readers = [], conversions = NO_WINDOWS }: Publication,
  engine: PublishedNames,
): Promise<PlanFacts> {
  const names = new Set(models.map(({ name }) => name));
  const queries = (await storedQueries(db)).filter(({ name }) => !names.has(name));
  const ofReport = (await mostClicked(db, withSpend(queries, engine), nowMs))?.name;
  return { queries, ofReport, conversions, models, readers, nowMs, token: randomUUID(), describe, engine };
}

/** The tables that a publication makes of these queries. Clicks choose the query of a view, so the view names each. */
export function tablesFrom(queries: readonly StoredQuery[], engine: PublishedNames): readonly PublishedTable[] {
  const candidates = withSpend(queries, engine).map(({ name }) => name);
  const facts = {
    queries,
    ofReport: candidates[0],
    conversions: NO_WINDOWS,
    models: [],
    readers: [],
    nowMs: 0,
    token: '',
  };
  const plan = planPublication({ ...facts, describe: () => undefined, engine }, 'all');
  const sources = candidates.map((name) => ({ kind: 'query' as const, name }));
  return tablesOf({ ...plan, views: plan.views.map((view) => ({ ...view, sources })) });
}

const NO_WINDOWS: ConversionWindows = { closesAt: '00:00', days: 0, ofAccounts: new Map() };

function withSpend<Query extends StoredQuery>(queries: readonly Query[], engine: PublishedNames): readonly Query[] {
  return queries.filter((query) => {
    const [day] = periodTables(query, engine);
    return ['cost_micros', 'clicks'].every((name) => day?.columns.some((column) => column.name === name));
  });
}

/** Increase this number if a new version fills the same table definitions differently. */
const FILLED_AS = 1;

export function planPublication(
  { queries, ofReport, conversions, describe, engine, ...now }: PlanFacts,
  extent: Extent,
): PublicationPlan {
  const dated = queries.filter(hasDays).map(({ name }) => name);
  const newest = queries.flatMap((query) => newestRowsOf(query) ?? []);
  const views = [
    accountDay(engine.readLate(conversions)),
    DAY_READING,
    ...PUBLISHED_RUNS,
    asOf(engine.asOf(now), engine),
    ...PUBLISHED_BUDGETS,
    ...PUBLISHED_TARGETS,
    PUBLISHED_TESTS,
    calendar(engine.spans(dated)),
  ];
  const own = (grows: boolean) =>
    views.filter((view) => (view.grows === true) === grows).map((view) => publishedTable(view, engine));
  const periods = queries.map((query) => ({ query, tables: periodTables(query, engine, extent) }));
  return {
    queries: queries.map((query) => ({ query, table: publishedQuery(query, describe, engine, extent) })),
    newest,
    dated,
    dimensions: dimensionTables(newest, describe),
    periods,
    views: periods.flatMap(({ query, tables: [day] }) => (day && query.name === ofReport ? campaignDay(day) : [])),
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
  group: 'record',
  description:
    'One row per table and one per column of this file, with unit and meaning. In rows of tables, column_name is empty.',
  columns: publishedColumns([
    text('table_name', 'The table.'),
    text('column_name', 'The column; empty for the table itself.'),
    text('type', "The column's declared type; 'table' for a table."),
    text('unit', 'Unit of the number; NULL if there is no unit or the unit is unknown.'),
    text('description', 'Meaning of the table or column.'),
    flag('exact', 'For a number: 1 if it is exact, such as micros. 0 for decimals, such as amounts for display.'),
    text('table_group', 'statistics (figures), record (runs and budget changes) or calendar (days).'),
    text('deprecated', 'The replacement of a column that the next version removes, such as: use cost_micros.'),
    text('source', "The queries or the model that fill the table; NULL for a column, and for pacekeeper's records."),
    text(
      'read_by',
      'The models, tests, rules, targets and questions that read it, also through models; NULL for a column.',
    ),
  ]),
  key: ['table_name', 'column_name'],
  from: '',
  order: '',
  indexes: [],
};

/** The rows of the tables in the dictionary, with their values in the order of its columns. */
export function dictionaryRows(tables: readonly PublishedTable[], readers: readonly Reader[]) {
  const all = [...readers, ...questionsOn(tables)];
  return tables.flatMap(({ name, group, sources = [], description, columns }) => [
    [name, '', 'table', null, description, null, group, null, wordsOf(sources), wordsOf(readersIn(all, name))],
    ...columns.map((column) => [
      name,
      column.name,
      column.declared,
      column.unit ?? null,
      column.description,
      EXACT[column.declared] ?? null,
      group,
      column.deprecated ?? null,
      null,
      null,
    ]),
  ]);
}

const wordsOf = (all: readonly Named[]) => all.map(namedWords).join(', ') || null;

const EXACT: Partial<Record<DeclaredType, number>> = { INTEGER: 1, DOUBLE: 0, 'DECIMAL(18,6)': 0 };

/** Excludes models, because the types of their columns may depend on values. */
export function tablesOf(plan: PublicationPlan): readonly PublishedTable[] {
  const { queries, dimensions, periods, small, growing, views } = plan;
  return [
    ...queries.map(({ table }) => table),
    ...dimensions.map(({ table }) => table),
    ...periods.flatMap(({ tables }) => tables),
    ...small,
    ...growing,
    ...views,
    DICTIONARY,
  ];
}

/** If the fingerprint has changed, the next publication writes the file from scratch. */
export function fingerprint(facts: PlanFacts): string {
  const plan = planPublication({ ...facts, nowMs: 0, token: '' }, 'all');
  const tables = tablesOf(plan).map(({ name, columns, key, references, from, order, indexes }) => {
    const filled = columns.map((column) => [column.name, column.declared, column.expression]);
    return [name, filled, key, references, from, order, indexes];
  });
  const newest = plan.newest.map(({ query, ids }) => [query.columns, ids]);
  const models = facts.models.map(({ name, sql, columns }) => [name, sql, columns]);
  return createHash('sha256')
    .update(JSON.stringify([FILLED_AS, tables, newest, models]))
    .digest('hex');
}
