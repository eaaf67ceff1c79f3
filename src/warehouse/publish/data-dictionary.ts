import type Database from 'better-sqlite3';
import { text } from '../../views/kit/column.ts';
import { type PublishedTable, publishedTable } from './published-table.ts';

/** It is made empty: {@link describeTables} fills it. */
export const DICTIONARY = publishedTable({
  name: 'data_dictionary',
  description: 'One row per table (column_name is empty) and one per column of this file, with unit and meaning.',
  columns: [
    text('table_name', 'The table.'),
    text('column_name', 'The column; empty for the table itself.'),
    text('type', "The column's declared type; 'table' for a table."),
    text('unit', 'What a number counts; NULL where there is nothing to say or it is not known.'),
    text('description', 'What it holds.'),
  ],
  key: ['table_name', 'column_name'],
  from: 'FROM (SELECT NULL AS table_name, NULL AS column_name, NULL AS type, NULL AS unit, NULL AS description) WHERE 0',
});

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
