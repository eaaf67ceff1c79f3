import { constants, copyFileSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { withDatabase } from '../../records/sqlite/open-database.ts';
import { ACCOUNT_DAY } from '../publish/calendar-table.ts';
import type { DimensionTable } from '../publish/dimensions.ts';
import { type NewestRows, newestTable, SEEN_ON } from '../publish/newest-rows.ts';
import { type PlanFacts, type PublicationPlan, planPublication } from '../publish/publication-plan.ts';
import { columnIn, type PublishedTable } from '../publish/published-table.ts';
import { DAY_GRAIN, FIRST_DAY, GRAINS, type Grain, LAST_DAY, ofQuery, rowsWithin } from '../publish/spans.ts';
import { CUSTOMER_COLUMN, columnOfField, DATE_COLUMN, hasDays, identifier, type StoredQuery } from '../query-table.ts';
import {
  createNewestRows,
  fill,
  fillTable,
  gatherSources,
  newestStatement,
  noteDated,
  type Written,
} from './write-published.ts';

/** `next` is a copy of the last published file. Returns undefined if a new file is necessary or cheaper. */
export function renewPublished(next: string, statePath: string, facts: PlanFacts, token: string): Written | undefined {
  const renew = (file: Database.Database, plan: PublicationPlan) => {
    if (!mayBeRenewed(file, plan, token)) throw new CannotBeRenewed();
    renewFile(file, plan);
  };
  try {
    return withDatabase(new Database(next), (file) =>
      fill(file, statePath, facts, planPublication(facts, 'changed'), renew),
    );
  } catch (error) {
    if (error instanceof CannotBeRenewed || error instanceof Database.SqliteError) return undefined;
    throw error;
  }
}

class CannotBeRenewed extends Error {}

/** `plan` must have the extent `changed`. */
function renewFile(file: Database.Database, plan: PublicationPlan): void {
  noteSpans(file);
  noteNamed(file, plan.newest);
  for (const { query, table } of plan.queries) {
    removeWithin(file, query, DAY_GRAIN, { table: table.name, column: DATE_COLUMN });
    fillTable(file, table);
  }
  noteNamed(file, plan.newest);
  renewDimensions(file, plan.dimensions, plan.newest);
  file.exec(DAYS_BEFORE);
  noteDated(file, plan.dated);
  for (const table of plan.small) {
    file.exec(`DELETE FROM main.${identifier(table.name)}`);
    fillTable(file, table);
  }
  for (const table of plan.growing) fillTable(file, table);
  noteRecounted(file);
  for (const { query, tables } of plan.periods) {
    for (const table of tables) renewPeriods(file, query, table);
  }
}

const DAY_BEFORE = 'temp.day_before';
const DAYS_BEFORE = `CREATE TABLE ${DAY_BEFORE} (query TEXT, customer_id INTEGER, date DATE, complete BOOLEAN,
    PRIMARY KEY (query, customer_id, date)) WITHOUT ROWID;
  INSERT INTO ${DAY_BEFORE} SELECT query, customer_id, date, complete FROM main.${ACCOUNT_DAY}`;

/** A day can become complete, missing or known without a changed row. Its weeks and months are then filled again. */
function noteRecounted(file: Database.Database): void {
  const moved = (one: string, other: string) => `SELECT query, customer_id, date FROM ${one} AS one
    LEFT JOIN ${other} AS other USING (query, customer_id, date) WHERE one.complete IS NOT other.complete`;
  const now = `main.${ACCOUNT_DAY}`;
  file.exec(`CREATE TEMP TABLE recounted AS ${moved(DAY_BEFORE, now)} UNION ALL ${moved(now, DAY_BEFORE)}`);
  for (const grain of GRAINS) if (grain !== DAY_GRAIN) file.exec(noteSpansOf(grain, 'temp.recounted'));
}

function noteSpansOf(grain: Grain, days: string): string {
  return `INSERT OR IGNORE INTO temp.span
    SELECT query, '${grain}', customer_id, ${FIRST_DAY[grain]}, ${LAST_DAY[grain]} FROM ${days}`;
}

const PERIODS: Readonly<Record<string, Grain>> = { date: 'day', week: 'week', month: 'month' };

/** The period is the second column of the table's key. */
function renewPeriods(file: Database.Database, query: StoredQuery, table: PublishedTable): void {
  const column = table.key[1] ?? '';
  removeWithin(file, query, PERIODS[column] ?? DAY_GRAIN, { table: table.name, column });
  fillTable(file, table);
  // If a campaign was renamed, all its rows get the new name.
  const name = identifier(table.name);
  file.exec(`UPDATE main.${name} SET campaign_name = (SELECT campaign_name FROM main.dim_campaign AS named
      WHERE named.customer_id = ${name}.customer_id AND named.campaign_id = ${name}.campaign_id)
    WHERE ${CUSTOMER_COLUMN} IN (SELECT customer_id FROM temp.renamed)
      AND (customer_id, campaign_id) IN (SELECT customer_id, campaign_id FROM temp.renamed)`);
}

/** Returns false if the copy fails, or if anybody has changed the file since its publication. */
export function copyLastFile(path: string, next: string, stamp: string): boolean {
  try {
    if (stampOf(path) !== stamp) return false;
    copyFileSync(path, next, constants.COPYFILE_FICLONE);
    return true;
  } catch {
    return false;
  }
}

export function stampOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size} ${mtimeNs}`;
}

/** True if updating `file` is possible and cheaper than writing a new file. */
function mayBeRenewed(file: Database.Database, plan: PublicationPlan, token: string): boolean {
  const isSame = file.prepare('SELECT publication FROM as_of').pluck().get() === token;
  return isSame && hasSameCurrencies(file, plan) && isLittle(file) && isDense(file);
}

function hasSameCurrencies(file: Database.Database, { queries }: PublicationPlan): boolean {
  const others = file
    .prepare(`SELECT customer_id FROM (SELECT customer_id FROM main.account UNION SELECT customer_id FROM state.account)
      LEFT JOIN main.account AS published USING (customer_id) LEFT JOIN state.account AS known USING (customer_id)
      WHERE published.currency IS NOT known.currency`)
    .pluck()
    .safeIntegers()
    .all();
  return others.every((account) =>
    queries.every(({ query }) => {
      const row = file.prepare(`SELECT 1 FROM main.${identifier(query.name)} WHERE ${CUSTOMER_COLUMN} = ? LIMIT 1`);
      return row.get(account) === undefined;
    }),
  );
}

/** Above this share of changed rows, a new file is faster. Measured limit: 43 % of two million rows. */
const CHANGED_PART_MAX = 0.4;

function isLittle(file: Database.Database): boolean {
  const count = (from: string) => file.prepare(`SELECT total(rows) FROM ${from}`).pluck().get() as number;
  const changed = count('state.unpublished_day JOIN state.account_day USING (query, customer_id, date)');
  return changed <= count('state.account_day') * CHANGED_PART_MAX;
}

/** Above this share of free pages, the file is written anew, because an update never shrinks the file. */
const UNUSED_PART_MAX = 1 / 4;

function isDense(file: Database.Database): boolean {
  const pages = (pragma: string) => file.pragma(`main.${pragma}`, { simple: true }) as number;
  return pages('freelist_count') <= pages('page_count') * UNUSED_PART_MAX;
}

/** Call this before and after rows are replaced, because an id may lose all its rows. */
function noteNamed(file: Database.Database, sources: readonly NewestRows[]): void {
  for (const { query, ids } of sources) {
    const columns = [CUSTOMER_COLUMN, ...ids].map(identifier);
    const values = ids.map((name) => `coalesce(${columnIn('row', name)}, 0)`);
    file.exec(`CREATE TEMP TABLE IF NOT EXISTS ${namedBy(query.name)} (${keyed(columns)}) WITHOUT ROWID;
      INSERT OR IGNORE INTO temp.${namedBy(query.name)} SELECT ${[columnIn('row', CUSTOMER_COLUMN), ...values].join(', ')}
      FROM ${rowsWithin('changed', query, DAY_GRAIN, `main.${identifier(query.name)}`, 'row')}`);
  }
}

/** Without a column type, SQLite does not use the key to find an id. */
function keyed(columns: readonly string[]): string {
  return `${columns.map((column) => `${column} INTEGER`).join(', ')}, PRIMARY KEY (${columns.join(', ')})`;
}

const soughtId = (index: number): string => `"sought ${index}"`;

const namedBy = (query: string): string => identifier(`named by ${query}`);

/** Also collects renamed campaigns in `temp.renamed`. */
function renewDimensions(
  file: Database.Database,
  dimensions: readonly DimensionTable[],
  newest: readonly NewestRows[],
): void {
  // All tables are created first, because each new table makes SQLite check prepared statements again.
  for (const rows of newest) createNewestRows(file, rows);
  for (const dimension of dimensions) {
    const { table, ids, sources } = dimension;
    const keyColumns = [CUSTOMER_COLUMN, ...ids.map(({ name }) => name)].map(identifier);
    const key = keyColumns.join(', ');
    file.exec(`DROP TABLE IF EXISTS temp.named; CREATE TEMP TABLE named (${keyed(keyColumns)}) WITHOUT ROWID`);
    for (const { query } of sources) {
      const own = ids.map(({ field }) => identifier(columnOfField(query, field)?.name ?? ''));
      file.exec(`INSERT OR IGNORE INTO temp.named SELECT ${[CUSTOMER_COLUMN, ...own].join(', ')}
        FROM temp.${namedBy(query.name)} WHERE ${own.map((name) => `${name} <> 0`).join(' AND ')}`);
    }
    const isCampaign = table.name === 'dim_campaign';
    if (isCampaign) file.exec(BEFORE_RENAMED);
    file.exec(`DROP TABLE IF EXISTS temp.sought;
      CREATE TEMP TABLE sought (${keyed(['"of account"', ...ids.map((_, index) => soughtId(index))])}) WITHOUT ROWID`);
    for (const source of sources) seekNewestRows(file, source, ids);
    file.exec(`DELETE FROM main.${identifier(table.name)} WHERE (${key}) IN (SELECT ${key} FROM temp.named)`);
    gatherSources(file, dimension);
    fillTable(file, table);
    if (isCampaign) file.exec(RENAMED);
  }
}

const BEFORE_RENAMED = `CREATE TEMP TABLE before_renamed AS SELECT customer_id, campaign_id, campaign_name
  FROM temp.named JOIN main.dim_campaign USING (customer_id, campaign_id)`;
const RENAMED = `CREATE TEMP TABLE renamed AS SELECT customer_id, campaign_id FROM temp.named
  LEFT JOIN temp.before_renamed AS before USING (customer_id, campaign_id)
  LEFT JOIN main.dim_campaign AS after USING (customer_id, campaign_id)
  WHERE before.campaign_name IS NOT after.campaign_name`;

/** Searches the days of each account backwards until every id has its newest row. */
function seekNewestRows(file: Database.Database, source: NewestRows, dimensionIds: DimensionTable['ids']): void {
  const { query } = source;
  const table = `temp.${newestTable(source)}`;
  const own = dimensionIds.map(({ field }) => columnOfField(query, field)?.name ?? '');
  const sought = own.map((_, index) => soughtId(index)).join(', ');
  file.exec('DELETE FROM temp.sought; INSERT INTO temp.sought SELECT * FROM temp.named');
  file.exec(`DELETE FROM ${table}`);
  const matches = own.map((name, index) => `${columnIn('newest', name)} = sought.${soughtId(index)}`);
  const dated = hasDays(query);
  const onDay = (column: string) => (dated ? `${column} = @day` : '@day IS NOT NULL');
  const take = file.prepare(
    newestStatement(
      source,
      `JOIN temp.sought AS sought ON ${matches.join(' AND ')} WHERE ${columnIn('newest', CUSTOMER_COLUMN)} = @account
        AND sought."of account" = @account AND ${onDay(columnIn('newest', DATE_COLUMN))}`,
    ),
  );
  const drop = file.prepare(`DELETE FROM temp.sought WHERE "of account" = @account AND (${sought}) IN
    (SELECT ${own.map(identifier).join(', ')} FROM ${table} WHERE ${CUSTOMER_COLUMN} = @account AND ${onDay(identifier(SEEN_ON))})`);
  const isLeft = file.prepare('SELECT 1 FROM temp.sought WHERE "of account" = ? LIMIT 1').pluck();
  const accounts = file.prepare('SELECT DISTINCT "of account" FROM temp.sought').pluck().safeIntegers().all();
  for (const account of accounts as bigint[]) {
    for (const day of dated ? daysBackwards(file, query.name, account) : ['']) {
      take.run({ account, day });
      drop.run({ account, day });
      if (isLeft.get(account) === undefined) break;
    }
  }
}

function* daysBackwards(file: Database.Database, table: string, account: bigint): Generator<string> {
  const dayBefore = file
    .prepare(
      `SELECT max(${DATE_COLUMN}) FROM main.${identifier(table)} WHERE ${CUSTOMER_COLUMN} = ? AND ${DATE_COLUMN} < ?`,
    )
    .pluck();
  for (let day = dayBefore.get(account, '9999-99-99'); typeof day === 'string'; day = dayBefore.get(account, day)) {
    yield day;
  }
}

/** For a table without days, a span means all rows of the account. */
function noteSpans(file: Database.Database): void {
  file.exec(`CREATE TEMP TABLE span ("in query", "in grain", "of account" INTEGER, "first day" TEXT, "last day" TEXT,
    PRIMARY KEY ("in query", "in grain", "of account", "first day")) WITHOUT ROWID`);
  for (const grain of GRAINS) {
    const dated = grain === DAY_GRAIN ? 'true' : "date <> ''";
    file.exec(noteSpansOf(grain, `state.unpublished_day WHERE ${dated}`));
  }
}

function removeWithin(
  file: Database.Database,
  query: StoredQuery,
  grain: Grain,
  { table, column }: { readonly table: string; readonly column: string },
): void {
  const dated = hasDays(query);
  const key = dated ? `(${CUSTOMER_COLUMN}, ${identifier(column)})` : CUSTOMER_COLUMN;
  const values = dated ? '"of account", "first day"' : '"of account"';
  file.exec(`DELETE FROM main.${identifier(table)}
    WHERE ${key} IN (SELECT ${values} FROM temp.span WHERE ${ofQuery(query.name, grain)})`);
}
