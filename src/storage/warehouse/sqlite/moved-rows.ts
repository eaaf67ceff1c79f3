import type { StateFile } from '../../records/sqlite/open-state.ts';
import { prepared } from '../../records/sqlite/prepared.ts';
import type { MovedRows, MovedTable } from '../moved-rows.ts';
import { identifier } from '../query-table.ts';

const nameOf = ({ name }: MovedTable) => `main.${identifier(name)}`;

/** One INSERT for each row, without a server to wait for. The other engine takes many rows with one COPY. */
export function sqliteMovedRows({ connection }: StateFile): MovedRows {
  return {
    nameOf,
    async insert(_, table, rows) {
      const places = table.columns.map(() => '?').join(', ');
      const statement = `INSERT INTO ${nameOf(table)} (${table.columns.map(identifier).join(', ')}) VALUES (${places})`;
      const insert = prepared(connection, statement);
      for (const row of rows) insert.run(row);
    },
    counters: async () =>
      new Map(prepared(connection, 'SELECT name, seq FROM sqlite_sequence', 'columns').all() as [string, bigint][]),
    async count(_, counters) {
      const forget = prepared(connection, 'DELETE FROM sqlite_sequence WHERE name = ?');
      const count = prepared(connection, 'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
      for (const [name, last] of counters) {
        forget.run(name);
        count.run(name, last);
      }
    },
  };
}
