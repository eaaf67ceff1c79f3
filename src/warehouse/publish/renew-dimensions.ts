import type Database from 'better-sqlite3';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import { columnOfField, isDated } from '../stored-query.ts';
import type { DimensionTable } from './dimensions.ts';
import { createNewestRows, type NewestRows, newestStatement, SEEN_ON } from './newest-rows.ts';
import { columnIn } from './published-columns.ts';
import { fillTable } from './published-table.ts';
import { DAY_GRAIN, rowsWithin } from './spans.ts';

/**
 * Notes what the rows of the changed days name. To be called before these rows are replaced and again afterwards: what is
 * named no longer may have to go.
 */
export function noteNamed(file: Database.Database, sources: readonly NewestRows[]): void {
  for (const { query, ids } of sources) {
    const columns = [CUSTOMER_COLUMN, ...ids].map(identifier);
    const values = ids.map((name) => `coalesce(${columnIn('row', name)}, 0)`);
    file.exec(`CREATE TEMP TABLE IF NOT EXISTS ${namedBy(query.name)} (${keyed(columns)}) WITHOUT ROWID;
      INSERT OR IGNORE INTO temp.${namedBy(query.name)} SELECT ${[columnIn('row', CUSTOMER_COLUMN), ...values].join(', ')}
      FROM ${rowsWithin('changed', query, DAY_GRAIN, `main.${identifier(query.name)}`, 'row')}`);
  }
}

/** Without the type SQLite would not look an id up by the key. */
function keyed(columns: readonly string[]): string {
  return `${columns.map((column) => `${column} INTEGER`).join(', ')}, PRIMARY KEY (${columns.join(', ')})`;
}

const soughtId = (index: number): string => `"sought ${index}"`;

const namedBy = (query: string): string => identifier(`named by ${query}`);

/**
 * Makes the dimensions' rows anew of all that the changed days name or named, from each source's newest row of it. Leaves
 * the campaigns that have another name than before in `temp.renamed`.
 */
export function renewDimensions(
  file: Database.Database,
  dimensions: readonly DimensionTable[],
  newest: readonly NewestRows[],
): void {
  // Before any statement is prepared: each table that is made or dropped makes SQLite go through the statements there are.
  for (const rows of newest) createNewestRows(file, rows);
  for (const { table, ids, sources, gather } of dimensions) {
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
    for (const statement of gather) file.exec(statement);
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

/** Takes the newest rows of what `temp.named` holds, account by account, and day by day backwards until all is found. */
function seekNewestRows(file: Database.Database, source: NewestRows, dimensionIds: DimensionTable['ids']): void {
  const { query, table } = source;
  const own = dimensionIds.map(({ field }) => columnOfField(query, field)?.name ?? '');
  const sought = own.map((_, index) => soughtId(index)).join(', ');
  file.exec('DELETE FROM temp.sought; INSERT INTO temp.sought SELECT * FROM temp.named');
  file.exec(`DELETE FROM ${table}`);
  const matches = own.map((name, index) => `${columnIn('newest', name)} = sought.${soughtId(index)}`);
  const dated = isDated(query);
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

/** The days of the account that have rows, the newest first. */
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
