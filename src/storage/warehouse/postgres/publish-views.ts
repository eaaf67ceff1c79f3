import { createHash } from 'node:crypto';
import { instantText } from '../../../domain/civil-date.ts';
import { InputError } from '../../../domain/errors.ts';
import type { RecordStore, StateDb } from '../../records/record-store.ts';
import { type Model, modelTable, selectModel } from '../models/model.ts';
import { type PublishedModel, tooManyRows, unpublishable } from '../models/model-failure.ts';
import { type AccountZone, yesterdays } from '../publish/calendar-table.ts';
import { type DimensionTable, GATHERED, SELECTING } from '../publish/dimensions.ts';
import type { Reader } from '../publish/lineage.ts';
import { type NewestRows, newestColumns, newestOrder, newestTable, SEEN_ON } from '../publish/newest-rows.ts';
import {
  DICTIONARY,
  dictionaryRows,
  factsOf,
  type PublicationPlan,
  planPublication,
} from '../publish/publication-plan.ts';
import { type PublishedData, publishedData } from '../publish/published-data.ts';
import type { DeclaredType, PublishedColumn, PublishedTable } from '../publish/published-table.ts';
import { CUSTOMER_COLUMN, identifier, ROW_COLUMN } from '../query-table.ts';
import type { Publication, Published } from '../store.ts';
import { ask, run } from './ask.ts';
import { withinSeconds } from './model-rows.ts';
import { NAMES_IN_MODELS, POSTGRES_NAMES } from './postgres-names.ts';
import { tableOf } from './query-tables.ts';
import { createView, dropViews } from './without-views.ts';

interface View {
  readonly table: PublishedTable;
  readonly select: string;
}

/**
 * The tables of queries are published as they are. All other tables are views, which the owner's rights let readers
 * use. No row is copied, so only changed definitions need work. All views are then replaced in one transaction.
 * Dropping a view waits for its readers, and keeps new ones out until the commit. So views stay if their definitions
 * are the same. A slow model is tried before the first view is dropped.
 */
export async function publishViews({ db }: RecordStore, publication: Publication): Promise<Published> {
  const facts = await factsOf(db, publication, POSTGRES_NAMES);
  const { nowMs, token } = facts;
  const plan = planPublication(facts, 'all');
  const views = [...viewsOf(plan), ...facts.models.map(viewOfModel)];
  const described = [...plan.queries.map(asStored), ...views.map(({ table }) => table), DICTIONARY];
  const all = [...views, { table: DICTIONARY, select: dictionary(described, facts.readers) }];
  const fingerprint = createHash('sha256').update(JSON.stringify(all)).digest('hex');
  await db.transaction().execute(async (trx) => {
    await rememberYesterdays(trx, nowMs);
    const last = await trx.selectFrom('publication').select('fingerprint').executeTakeFirst();
    if (last?.fingerprint !== fingerprint || (await isViewLost(trx, all))) await replaceViews(trx, all, facts.models);
    await trx.deleteFrom('publication').execute();
    await trx
      .insertInto('publication')
      .values({ id: 1n, token, fingerprint, stamp: instantText(nowMs) })
      .execute();
    await trx.deleteFrom('unpublishedDay').execute();
  });
  return { tables: described, file: undefined };
}

/** True after an incomplete restore, for example. */
async function isViewLost(trx: StateDb, views: readonly View[]): Promise<boolean> {
  const names = views.map(({ table }) => table.name);
  const sql = "SELECT count(*) FROM pg_views WHERE schemaname = 'warehouse' AND viewname = ANY($1)";
  const [found] = await ask<[bigint]>(trx, sql, [names]);
  return found?.[0] !== BigInt(names.length);
}

async function replaceViews(trx: StateDb, views: readonly View[], models: readonly PublishedModel[]): Promise<void> {
  await run(trx, NAMES_IN_MODELS);
  for (const model of models) await tryModel(trx, model);
  await dropViews(trx);
  for (const { table, select } of views) {
    try {
      await createView(trx, { ...table, select });
    } catch (cause) {
      const model = models.find(({ name }) => name === table.name);
      if (model === undefined || cause instanceof InputError || !(cause instanceof Error)) throw cause;
      throw unpublishable(model, cause);
    }
  }
  await run(trx, 'SET LOCAL search_path = DEFAULT');
}

/** A view beyond the limits would keep its readers waiting. */
async function tryModel(trx: StateDb, model: PublishedModel): Promise<void> {
  const { limits } = model;
  try {
    const some = `SELECT * FROM (${selectModel(model, POSTGRES_NAMES)}) AS model LIMIT ${limits.maxRows + 1}`;
    // A count of whole rows computes each of their columns.
    const rows = await withinSeconds(trx, limits, () =>
      ask<[bigint]>(trx, `SELECT count(every) FROM (${some}) AS every`),
    );
    if ((rows[0]?.[0] ?? 0n) > limits.maxRows) throw tooManyRows(limits);
  } catch (cause) {
    throw unpublishable(model, cause);
  }
}

/** Without the columns that only a published file adds. */
function asStored({ query, table }: PublicationPlan['queries'][number]): PublishedTable {
  const stored = new Set([CUSTOMER_COLUMN, ...query.columns.map(({ name }) => name)]);
  return { ...table, columns: table.columns.filter(({ name }) => stored.has(name)) };
}

function viewsOf({ dimensions, periods, small, growing, views }: PublicationPlan): View[] {
  const plain = [...small, ...growing, ...periods.flatMap(({ tables }) => tables), ...views];
  return [
    ...dimensions.map((dimension) => ({
      table: dimension.table,
      select: `${withSources(dimension)}${selectOf(dimension.table)}`,
    })),
    ...plain.map((table) => ({ table, select: selectOf(table) })),
  ];
}

function selectOf({ columns, from }: PublishedTable): string {
  return `SELECT ${columns.map(typedValue).join(', ')} ${from}`;
}

const typedValue = ({ name, declared, expression }: PublishedColumn): string =>
  `${TYPED[declared](expression)} AS ${identifier(name)}`;

const as = (type: string) => (value: string) => `CAST(${value} AS ${type})`;

const TYPED: Readonly<Record<DeclaredType, (value: string) => string>> = {
  INTEGER: as('bigint'),
  TEXT: as('text'),
  DATE: as('date'),
  DATETIME: as('timestamp'),
  // An integer of 64 bits is not converted directly.
  BOOLEAN: (value) => as('boolean')(as('integer')(value)),
  DOUBLE: as('double precision'),
  'DECIMAL(18,6)': (value) => `round(${as('numeric')(value)}, 6)`,
};

function withSources({ sources, gathered }: DimensionTable): string {
  if (sources.length === 0) return '';
  const parts = sources.map((source) => `${newestTable(source)} AS (${newestRows(source)})`);
  if (gathered === undefined) return `WITH ${parts.join(', ')} `;
  const selecting = gathered.selecting.map(([attribute, source]) => `('${attribute}', ${source})`);
  const rows = `${GATHERED} (${gathered.columns.join(', ')}) AS (${gathered.rows.join(' UNION ALL ')})`;
  return `WITH ${[...parts, rows, `${SELECTING} (attribute, source) AS (VALUES ${selecting.join(', ')})`].join(', ')} `;
}

function newestRows(newest: NewestRows): string {
  const values = newestColumns(newest, POSTGRES_NAMES).map(
    ([name, value]) => `${name === SEEN_ON ? as('date')(value) : value} AS ${identifier(name)}`,
  );
  const key = [CUSTOMER_COLUMN, ...newest.ids].map((_, index) => index + 1).join(', ');
  return `SELECT DISTINCT ON (${key}) ${values.join(', ')} FROM ${tableOf(newest.query.name)} AS newest
    ORDER BY ${key}, ${newestOrder(newest.query, ROW_COLUMN)}`;
}

/** A computed column keeps the server's type, because its type depends on its values. */
function viewOfModel(model: Model): View {
  const table = modelTable(model, () => undefined);
  const columns = table.columns.map((column, index) =>
    model.columns[index]?.declared === undefined ? column.expression : typedValue(column),
  );
  const select = `SELECT ${columns.join(', ')} FROM (${selectModel(model, POSTGRES_NAMES)}) AS model`;
  return { table, select };
}

function dictionary(tables: readonly PublishedTable[], readers: readonly Reader[]): string {
  const rows = dictionaryRows(tables, readers).map((values) => {
    const pairs = DICTIONARY.columns.map(({ name }, index) => [name, values[index]] as const);
    return Object.fromEntries(pairs.filter(([, value]) => value !== null));
  });
  const fields = DICTIONARY.columns.map(({ name, declared }) => `${name} ${declared}`);
  return `SELECT * FROM json_to_recordset('${JSON.stringify(rows).replaceAll("'", "''")}') AS row (${fields.join(', ')})`;
}

async function rememberYesterdays(trx: StateDb, nowMs: number): Promise<void> {
  const zones = await ask<AccountZone>(trx, 'SELECT customer_id, time_zone FROM pacekeeper.account');
  const rows = yesterdays(zones, nowMs);
  await run(trx, 'DELETE FROM pacekeeper.account_yesterday');
  await run(trx, 'INSERT INTO pacekeeper.account_yesterday SELECT * FROM unnest($1::bigint[], $2::date[])', [
    rows.map(([customer]) => customer),
    rows.map(([, day]) => day),
  ]);
}

/**
 * Undefined if nothing is published. Unlike a published file (`sqlite/published-file.ts`), views change with each load,
 * so no answers are kept.
 */
export async function openViews(db: StateDb): Promise<PublishedData | undefined> {
  const published = await db.selectFrom('publication').select('id').executeTakeFirst();
  if (published === undefined) return undefined;
  const columnsOf = async (table: string) => new Set((await ask<[string]>(db, COLUMNS, [table])).flat());
  return publishedData({ db, schema: 'warehouse', columnsOf, close: () => undefined });
}

const COLUMNS = `SELECT column_name::text FROM information_schema.columns
  WHERE table_schema = 'warehouse' AND table_name = $1`;
