import type Database from 'better-sqlite3';
import { noteDated } from './calendar-table.ts';
import { describeTables } from './data-dictionary.ts';
import { type PublicationPlan, tablesOf } from './publication-plan.ts';
import { fillTable, type PublishedTable } from './published-table.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from './query-table.ts';
import { noteNamed, renewDimensions } from './renew-dimensions.ts';
import { DAY_GRAIN, type Grain, noteSpans, removeWithin } from './spans.ts';
import type { StoredQuery } from './stored-query.ts';

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
