import { InputError } from '../../../domain/errors.ts';
import { copyInto, copyLine } from '../../records/postgres/copy-into.ts';
import type { StateDb } from '../../records/record-store.ts';
import type { MovedRows, MovedTable } from '../moved-rows.ts';
import { DATE_COLUMN, identifier } from '../query-table.ts';
import { ask, run } from './ask.ts';
import { ensureMonths, tableOf } from './query-tables.ts';

const nameOf = ({ name, isOfQuery }: MovedTable) => (isOfQuery ? tableOf(name) : `pacekeeper.${identifier(name)}`);

/** Rows come by COPY, because each INSERT would wait for the server. SQLite (`sqlite/moved-rows.ts`) takes each by itself. */
export function postgresMovedRows(db: StateDb): MovedRows {
  return {
    nameOf,
    async insert(trx, table, rows) {
      refuseNul(table, rows);
      const date = table.columns.indexOf(DATE_COLUMN);
      if (table.isOfQuery && date >= 0) {
        await ensureMonths(trx, table.name, [...new Set(rows.map((row) => String(row[date]).slice(0, 7)))]);
      }
      const columns = table.columns.map(identifier).join(', ');
      await copyInto(trx, `COPY ${nameOf(table)} (${columns}) FROM STDIN`, Buffer.from(rows.map(copyLine).join('')));
    },
    counters: async () => new Map(await ask<[string, bigint]>(db, COUNTERS)),
    async count(trx, counters) {
      for (const [name, last] of counters) {
        await run(trx, "SELECT setval(pg_get_serial_sequence('pacekeeper.' || quote_ident($1), 'id'), $2)", [
          name,
          last,
        ]);
      }
    },
  };
}

const COUNTERS = `SELECT table_name::text, last_value FROM information_schema.columns
  JOIN pg_sequences ON schemaname = table_schema AND quote_ident(schemaname) || '.' || quote_ident(sequencename) =
    pg_get_serial_sequence(quote_ident(table_schema) || '.' || quote_ident(table_name), column_name)
  WHERE table_schema = 'pacekeeper' AND is_identity = 'YES' AND last_value IS NOT NULL`;

/** pacekeeper stores no such character, but another program may have. */
function refuseNul(table: MovedTable, rows: readonly (readonly unknown[])[]): void {
  for (const row of rows) {
    const at = row.findIndex((value) => typeof value === 'string' && value.includes('\0'));
    if (at < 0) continue;
    const column = table.columns[at];
    throw new InputError(
      `Column ${column} of table ${table.name} has a NUL character where ${table.columns[0]} is ${row[0]}. PostgreSQL cannot hold it.`,
      { nextStep: 'In the state file, give this row a text without it. Then move again.' },
    );
  }
}
