import Database from 'better-sqlite3';
import type { CivilDate } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { prepared } from '../../store/sqlite/prepared.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier, ROW_COLUMN, storageType } from '../query-table.ts';
import type { JsonRows } from '../slice-load.ts';
import { refuseBadDates, rowInserter } from './insert-rows.ts';
import { tableStatement } from './query-tables.ts';

export interface CopyLines {
  /** Lines for COPY, each with the customer, the columns of the query and the row's number. */
  readonly copy: Buffer;
  readonly rows: bigint;
  readonly days: readonly CivilDate[];
}

type CopyReader = (piece: JsonRows, customer: CustomerId, first: bigint) => CopyLines;

const readers = new WeakMap<QueryFile, CopyReader>();

/** SQLite parses the rows in memory, so that both engines store the same values. Throws `ApiError` like {@link rowInserter}. */
export function copyReader(query: QueryFile): CopyReader {
  const reader = readers.get(query) ?? openReader(query);
  readers.set(query, reader);
  return reader;
}

function openReader(query: QueryFile): CopyReader {
  const file = new Database(':memory:');
  file.defaultSafeIntegers(true);
  file.exec(tableStatement(query));
  const insertRows = rowInserter(file, query, []);
  const table = `main.${identifier(query.name)}`;
  const values = [CUSTOMER_COLUMN, ...query.columns.map(copyValue), ROW_COLUMN].join(' || char(9) || ');
  const copy = prepared(file, `SELECT CAST(group_concat(${values} || char(10), '') AS BLOB) FROM ${table}`, 'values');
  const days = hasDays(query) ? prepared(file, `SELECT DISTINCT ${DATE_COLUMN} FROM ${table}`, 'values') : undefined;
  const empty = prepared(file, `DELETE FROM ${table}`);
  return (piece, customer, first) => {
    try {
      const rows = insertRows(piece, customer, first);
      const found = (days?.all() ?? []) as CivilDate[];
      refuseBadDates(found);
      const text = copy.get() as Buffer | null;
      return { copy: text ?? Buffer.alloc(0), rows, days: found };
    } finally {
      empty.run();
    }
  };
}

/** All digits of a number, and a text without the signs that separate columns and rows. */
function copyValue({ name, type }: QueryFile['columns'][number]): string {
  const column = identifier(name);
  const text = {
    INTEGER: column,
    REAL: `format('%!.17g', ${column})`,
    TEXT: `iif(${column} GLOB '*[' || char(9, 10, 13, 92) || ']*', ${escaped(column)}, ${column})`,
  }[storageType(type)];
  return `coalesce(${text}, '\\N')`;
}

function escaped(column: string): string {
  const signs = [
    [92, '\\\\'],
    [9, '\\t'],
    [10, '\\n'],
    [13, '\\r'],
  ] as const;
  return signs.reduce((text, [sign, written]) => `replace(${text}, char(${sign}), '${written}')`, column);
}
