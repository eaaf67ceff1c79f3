import { createHash } from 'node:crypto';
import { instantText } from '../../domain/civil-date.ts';
import { bySql, instant, text } from '../../views/kit/column.ts';
import type { PublishedView } from '../../views/kit/published-view.ts';
import { PUBLISHED_BUDGETS } from '../../views/published-budgets.ts';
import { PUBLISHED_RUNS } from '../../views/published-runs.ts';
import { hasDays, type StoredQuery } from '../query-table.ts';
import { ACCOUNT_DAY, CALENDAR, DAY_READING } from './calendar-table.ts';
import { type DimensionTable, dimensionTables } from './dimensions.ts';
import { type NewestRows, newestRowsOf } from './newest-rows.ts';
import { periodTables } from './period-tables.ts';
import { publishedQuery } from './published-query.ts';
import { type Describe, type PublishedTable, publishedTable } from './published-table.ts';
import type { Extent } from './spans.ts';

/** In the order of filling. */
export interface PublicationPlan {
  readonly queries: readonly { readonly query: StoredQuery; readonly table: PublishedTable }[];
  readonly newest: readonly NewestRows[];
  /** The calendar spans them and the account days. */
  readonly dated: readonly string[];
  readonly dimensions: readonly DimensionTable[];
  readonly periods: readonly { readonly query: StoredQuery; readonly tables: readonly PublishedTable[] }[];
  readonly small: readonly PublishedTable[];
  /** Filling adds rows. */
  readonly growing: readonly PublishedTable[];
}

export interface PlanFacts {
  readonly queries: readonly StoredQuery[];
  readonly nowMs: number;
  readonly token: string;
  readonly describe: Describe;
}

/** Raise it when the same definitions are filled differently. */
const FILLED_AS = 1;

export function planPublication({ queries, nowMs, token, describe }: PlanFacts, extent: Extent): PublicationPlan {
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
  };
}

function asOf(nowMs: number, token: string): PublishedView {
  return {
    name: 'as_of',
    description:
      'One row: when this file was published, and which service its numbers come from. See account_day for when they were read.',
    columns: [
      bySql(instant('as_of', 'When this file was published.'), `'${instantText(nowMs)}'`),
      bySql(text('target', 'The service.'), '(SELECT identity FROM state.target)'),
      bySql(text('publication', 'Identifier of this file: every publication has a new one.'), `'${token}'`),
    ],
    key: [],
    from: '',
  };
}

/** The writer of the file fills it. */
export const DICTIONARY = publishedTable({
  name: 'data_dictionary',
  description: 'One row per table (column_name is empty) and one per column of this file, with unit and meaning.',
  columns: [
    text('table_name', 'The table.'),
    text('column_name', 'The column; empty for the table itself.'),
    text('type', "The column's declared type; 'table' for a table."),
    text('unit', 'Unit of the number. NULL without a unit, or if the unit is unknown.'),
    text('description', 'Meaning of the table or column.'),
  ],
  key: ['table_name', 'column_name'],
  from: 'FROM (SELECT NULL AS table_name, NULL AS column_name, NULL AS type, NULL AS unit, NULL AS description) WHERE 0',
});

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

/** A file with another fingerprint is written whole. */
export function fingerprint(facts: PlanFacts): string {
  const plan = planPublication({ ...facts, nowMs: 0, token: '' }, 'all');
  const tables = tablesOf(plan).map(({ name, columns, key, from, indexes }) => {
    const filled = columns.map((column) => [column.name, column.declared, column.expression]);
    return [name, filled, key, from, indexes];
  });
  const newest = plan.newest.map(({ query, ids }) => [query.columns, ids]);
  return createHash('sha256')
    .update(JSON.stringify([FILLED_AS, tables, newest]))
    .digest('hex');
}
