import type Database from 'better-sqlite3';
import { ownColumn } from './own-tables.ts';
import type { PublishedTable } from './published-table.ts';

/** It is made empty: {@link describeTables} fills it. */
export const DICTIONARY: PublishedTable = {
  name: 'data_dictionary',
  description: 'One row per table (column_name is empty) and one per column of this file, with unit and meaning.',
  columns: [
    ownColumn('table_name', 'TEXT', 'The table.'),
    ownColumn('column_name', 'TEXT', 'The column; empty for the table itself.'),
    ownColumn('type', 'TEXT', "The column's declared type; 'table' for a table."),
    ownColumn('unit', 'TEXT', 'What a number counts; NULL where there is nothing to say or it is not known.'),
    ownColumn('description', 'TEXT', 'What it holds.'),
  ],
  key: ['table_name', 'column_name'],
  from: 'FROM (SELECT NULL AS table_name, NULL AS column_name, NULL AS type, NULL AS unit, NULL AS description) WHERE 0',
  indexes: [],
};

/** Describes the tables, in place of what was said before. */
export function describeTables(file: Database.Database, tables: readonly PublishedTable[]): void {
  file.exec('DELETE FROM main.data_dictionary');
  const insert = file.prepare('INSERT INTO main.data_dictionary VALUES (?, ?, ?, ?, ?)');
  for (const { name, description, columns } of tables) {
    insert.run(name, '', 'table', null, description);
    for (const column of columns) {
      insert.run(name, column.name, column.declared, column.unit ?? null, column.description);
    }
  }
}
