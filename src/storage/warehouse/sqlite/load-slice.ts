import type Database from 'better-sqlite3';
import type { CivilDate } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { QueryFile } from '../../../language/gaql/query-file.ts';
import { type Connected, prepared } from '../../records/sqlite/prepared.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier, ROW_COLUMN } from '../query-table.ts';
import {
  digestOfPieces,
  type LoadedPiece,
  type LoadTarget,
  Pieces,
  type SliceLoad,
  unaskedDay,
  unseparatedRows,
} from '../slice-load.ts';
import { refuseBadDates, rowInserter } from './insert-rows.ts';
import { formerColumns } from './query-tables.ts';
import { totalsByDay } from './totals.ts';

/**
 * {@link SliceLoad} in SQLite. Rows go straight from JSON into the table, where a row with the same key is replaced.
 * One process at a time loads. The changed days are noted before the outdated rows are deleted, because these rows show
 * them. The published file needs these days. The other engine publishes views, and needs none.
 */
export function beginLoad({ connection }: Connected, target: LoadTarget): SliceLoad {
  const { query, customerId, days } = target;
  const former = formerColumns({ connection }, query);
  const insertRows = rowInserter(connection, query, former);
  const digestOf = digestOfPieces(query, former);
  const keyed = query.key.length > 0;
  const pieces = new Pieces(keyed ? loadedPieces(connection, query.name, customerId) : []);
  const first = nextRow(connection, query.name);
  const about = { customer: customerId, ...(hasDays(query) ? days : {}) };
  const statements = sliceStatements(query);
  const wasEmpty = prepared(connection, statements.anyRow, 'values').get(about) === undefined;
  let next = first;

  return {
    async add(piece) {
      const digest = keyed ? digestOf(piece.json) : undefined;
      const same = pieces.keep(digest);
      if (same) return same.rows;
      const rows = insertRows(piece, customerId, next);
      pieces.add(digest, next, rows);
      next += rows;
      return rows;
    },
    async finish() {
      // A slice that was empty has no outdated rows to remove.
      if (!wasEmpty) {
        nameKept(connection, pieces.kept);
        const noted = hasDays(query) ? { ...about, first } : about;
        prepared(connection, statements.noteChanges).run({ ...noted, query: query.name });
        prepared(connection, statements.removeStale).run({ ...about, first });
      }
      const totals = days && hasDays(query) ? totalsByDay(connection, query, customerId, days) : [];
      refuseBadDates(totals.map(({ date }) => date));
      if (wasEmpty) noteDays(connection, target, hasDays(query) ? totals.map(({ date }) => date) : ['']);
      const rows = pieces.keptRows + next - first;
      const held = hasDays(query)
        ? totals.reduce((sum, day) => sum + day.rows, 0n)
        : (prepared(connection, statements.countRows, 'values').get(about) as bigint);
      if (held !== rows) {
        refuseUnaskedDays(connection, target, pieces.kept, first);
        throw unseparatedRows(query, rows, held);
      }
      rememberPieces(connection, query.name, customerId, [...pieces.kept, ...pieces.fresh], next);
      return { rows, days: totals };
    },
  };
}

function nameKept(connection: Database.Database, kept: readonly LoadedPiece[]): void {
  connection.exec(KEPT_TABLE);
  prepared(connection, 'DELETE FROM temp.kept').run();
  const insert = prepared(connection, 'INSERT INTO temp.kept VALUES (?, ?)');
  for (const { firstRow, rows } of kept) insert.run(firstRow, firstRow + rows - 1n);
}

function refuseUnaskedDays(
  connection: Database.Database,
  { query, customerId, days }: LoadTarget,
  kept: readonly LoadedPiece[],
  first: bigint,
): void {
  if (days === undefined || !hasDays(query)) return;
  nameKept(connection, kept);
  const about = { customer: customerId, first, ...days };
  const found = prepared(connection, sliceStatements(query).unaskedDays, 'values').all(about) as CivilDate[];
  refuseBadDates(found);
  if (found[0] !== undefined) throw unaskedDay(found[0], days);
}

function noteDays(connection: Database.Database, { query, customerId }: LoadTarget, dates: readonly string[]): void {
  const note = prepared(connection, `${NOTE} VALUES (@query, @customer, @date)`);
  for (const date of dates) note.run({ query: query.name, customer: customerId, date });
}

/** SQL condition for rows of earlier loads that belong to no unchanged chunk. */
const STALE = `(${ROW_COLUMN} < @first AND ${ROW_COLUMN} >
  coalesce((SELECT last_row FROM temp.kept WHERE first_row <= ${ROW_COLUMN} ORDER BY first_row DESC LIMIT 1), -1))`;

/** Run this on each connection before statements that read the table `kept`. */
const KEPT_TABLE = 'CREATE TEMP TABLE IF NOT EXISTS kept (first_row INTEGER PRIMARY KEY, last_row INTEGER NOT NULL)';

const NOTE = 'INSERT OR REPLACE INTO unpublished_day (query, customer_id, date)';

/** If the table has days, most statements concern only the days from @from to @to. */
function sliceStatements(query: QueryFile) {
  const dated = hasDays(query);
  const table = `main.${identifier(query.name)}`;
  const ofAccount = `FROM ${table} WHERE ${CUSTOMER_COLUMN} = @customer`;
  const ofSlice = dated ? `${ofAccount} AND ${DATE_COLUMN} BETWEEN @from AND @to` : ofAccount;
  return {
    anyRow: `SELECT 1 ${ofSlice} LIMIT 1`,
    countRows: `SELECT count(*) ${ofSlice}`,
    /** A table without days always counts as changed, because the file shows the day of its last read. */
    noteChanges: dated
      ? `${NOTE} SELECT DISTINCT @query, @customer, ${DATE_COLUMN} ${ofSlice} AND (${ROW_COLUMN} >= @first OR ${STALE})`
      : `${NOTE} VALUES (@query, @customer, '')`,
    removeStale: `DELETE ${ofSlice} AND ${STALE}`,
    unaskedDays: `SELECT DISTINCT ${DATE_COLUMN} ${ofAccount} AND ${DATE_COLUMN} NOT BETWEEN @from AND @to AND NOT ${STALE}
      ORDER BY 1`,
  };
}

function loadedPieces(connection: Database.Database, query: string, customer: CustomerId): LoadedPiece[] {
  const select = 'SELECT digest, first_row, rows FROM loaded_piece WHERE query = ? AND customer_id = ?';
  const rows = prepared(connection, select, 'columns').all(query, customer) as [Buffer, bigint, bigint][];
  return rows.map(([digest, firstRow, count]) => ({ digest, firstRow, rows: count }));
}

function nextRow(connection: Database.Database, query: string): bigint {
  return prepared(connection, 'SELECT next_row FROM query_table WHERE name = ?', 'values').get(query) as bigint;
}

function rememberPieces(
  connection: Database.Database,
  query: string,
  customer: CustomerId,
  pieces: readonly LoadedPiece[],
  next: bigint,
): void {
  prepared(connection, 'DELETE FROM loaded_piece WHERE query = ? AND customer_id = ?').run(query, customer);
  const insert = prepared(connection, 'INSERT OR REPLACE INTO loaded_piece VALUES (?, ?, ?, ?, ?)');
  for (const { digest, firstRow, rows } of pieces) insert.run(query, customer, digest, firstRow, rows);
  prepared(connection, 'UPDATE query_table SET next_row = ? WHERE name = ?').run(next, query);
}
