import { constants, copyFileSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import { isDated, type StoredQuery } from '../stored-query.ts';
import { noteDated } from './calendar-table.ts';
import { describeTables } from './data-dictionary.ts';
import { type PublicationPlan, tablesOf } from './publication-plan.ts';
import { fillTable, type PublishedTable } from './published-table.ts';
import { noteNamed, renewDimensions } from './renew-dimensions.ts';
import { DAY_GRAIN, type Grain, noteSpans, removeWithin } from './spans.ts';

/**
 * Replaces, in a copy of the file that was published last, what has changed in the state file since: the rows of the days
 * that changed, the periods that hold them, the dimensions that they name. The plan's extent is `changed`.
 */
export function renewFile(file: Database.Database, plan: PublicationPlan): void {
  noteSpans(file);
  noteNamed(file, plan.newest);
  for (const { query, table } of plan.queries) {
    removeWithin(file, query, DAY_GRAIN, { table: table.name, column: DATE_COLUMN });
    fillTable(file, table);
  }
  noteNamed(file, plan.newest);
  renewDimensions(file, plan.dimensions, plan.newest);
  for (const { query, tables } of plan.periods) {
    for (const table of tables) renewPeriods(file, query, table);
  }
  noteDated(file, plan.dated);
  for (const table of plan.small) {
    file.exec(`DELETE FROM main.${identifier(table.name)}`);
    fillTable(file, table);
  }
  for (const table of plan.growing) fillTable(file, table);
  describeTables(file, tablesOf(plan));
}

const PERIODS: Readonly<Record<string, Grain>> = { date: 'day', week: 'week', month: 'month' };

/** The key of such a table is account, period, campaign. */
function renewPeriods(file: Database.Database, query: StoredQuery, table: PublishedTable): void {
  const column = table.key[1] ?? '';
  removeWithin(file, query, PERIODS[column] ?? DAY_GRAIN, { table: table.name, column });
  fillTable(file, table);
  // A campaign goes by its newest name on all days.
  const name = identifier(table.name);
  file.exec(`UPDATE main.${name} SET campaign_name = (SELECT campaign_name FROM main.dim_campaign AS named
      WHERE named.customer_id = ${name}.customer_id AND named.campaign_id = ${name}.campaign_id)
    WHERE ${CUSTOMER_COLUMN} IN (SELECT customer_id FROM temp.renamed)
      AND (customer_id, campaign_id) IN (SELECT customer_id, campaign_id FROM temp.renamed)`);
}

/**
 * Copies the file that was published last, unless anybody wrote to it since: what it holds would not be known. Answers
 * whether it did. Where the file system can, the copy shares the file's blocks until they are written to.
 */
export function copyLastFile(path: string, next: string, stamp: string): boolean {
  try {
    if (stampOf(path) !== stamp) return false;
    copyFileSync(path, next, constants.COPYFILE_FICLONE);
    return true;
  } catch {
    // It is gone, or cannot be read.
    return false;
  }
}

/** A file's size and the moment it was last written to. */
export function stampOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size} ${mtimeNs}`;
}

/**
 * Whether the copy of the last file is worth carrying on: it is the one that was recorded, what changed is
 * known by days, no account has another currency than its rows say, and so little has changed that this is faster than to write all of it anew.
 */
export function mayBeRenewed(file: Database.Database, plan: PublicationPlan, token: string): boolean {
  const isSame = file.prepare('SELECT publication FROM as_of').pluck().get() === token;
  return isSame && isNotedByDays(file, plan) && hasSameCurrencies(file, plan) && isLittle(file) && isDense(file);
}

/** A query that no longer selects the day replaces all rows of an account in a table that still has days. */
function isNotedByDays(file: Database.Database, { queries }: PublicationPlan): boolean {
  const wholly = file.prepare("SELECT 1 FROM state.unpublished_day WHERE query = ? AND date = '' LIMIT 1");
  return queries.every(({ query }) => !isDated(query) || wholly.get(query.name) === undefined);
}

function hasSameCurrencies(file: Database.Database, { queries }: PublicationPlan): boolean {
  const others = file
    .prepare(`SELECT customer_id FROM (SELECT customer_id FROM main.account UNION SELECT customer_id FROM state.account)
      LEFT JOIN main.account AS published USING (customer_id) LEFT JOIN state.account AS known USING (customer_id)
      WHERE published.currency IS NOT known.currency`)
    .pluck()
    .safeIntegers()
    .all();
  // A new account has no rows yet.
  return others.every((account) =>
    queries.every(({ query }) => {
      const row = file.prepare(`SELECT 1 FROM main.${identifier(query.name)} WHERE ${CUSTOMER_COLUMN} = ? LIMIT 1`);
      return row.get(account) === undefined;
    }),
  );
}

/** Measured over two million rows, carrying on with 43 % of them changed takes as long as writing all of them anew. */
const CHANGED_PART_MAX = 0.4;

/** By the records of the days, which is near enough. */
function isLittle(file: Database.Database): boolean {
  const count = (from: string) => file.prepare(`SELECT total(rows) FROM ${from}`).pluck().get() as number;
  const changed = count('state.unpublished_day JOIN state.account_day USING (query, customer_id, date)');
  return changed <= count('state.account_day') * CHANGED_PART_MAX;
}

/** Pages that nothing is on are used again, but the file never becomes smaller by itself. */
const UNUSED_PART_MAX = 1 / 4;

function isDense(file: Database.Database): boolean {
  const pages = (pragma: string) => file.pragma(`main.${pragma}`, { simple: true }) as number;
  return pages('freelist_count') <= pages('page_count') * UNUSED_PART_MAX;
}
