import type Database from 'better-sqlite3';
import { noteDated } from './calendar-table.ts';
import { DICTIONARY, describeTables } from './data-dictionary.ts';
import { takeNewestRows } from './newest-rows.ts';
import { type PublicationPlan, tablesOf } from './publication-plan.ts';
import { createTable } from './published-table.ts';

/** Makes and fills all tables of an empty file. */
export function writeWholeFile(file: Database.Database, plan: PublicationPlan): void {
  for (const { table } of plan.queries) createTable(file, table);
  for (const newest of plan.newest) takeNewestRows(file, newest);
  for (const { table, gather } of plan.dimensions) {
    for (const statement of gather) file.exec(statement);
    createTable(file, table);
  }
  for (const { tables } of plan.periods) for (const table of tables) createTable(file, table);
  noteDated(file, plan.dated);
  for (const table of plan.small) createTable(file, table);
  for (const table of plan.growing) createTable(file, table);
  createTable(file, DICTIONARY);
  describeTables(file, tablesOf(plan));
}
