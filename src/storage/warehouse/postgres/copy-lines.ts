import Database from 'better-sqlite3';
import type { CivilDate } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { QueryFile } from '../../../language/gaql/query-file.ts';
import { prepared } from '../../records/sqlite/prepared.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier, ROW_COLUMN, storageType } from '../query-table.ts';
import type { JsonRows } from '../slice-load.ts';
import { refuseBadDates, rowInserter } from '../sqlite/insert-rows.ts';
import { tableStatement } from '../sqlite/query-tables.ts';

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
  const copy = prepared(
    file,
    `SELECT CAST(group_concat(${lineOf(query)} || char(10), '') AS BLOB) FROM ${table}`,
    'values',
  );
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
function lineOf({ columns }: QueryFile): string {
  const line = (textOf: (column: string) => string) => {
    const values = columns.map(({ name, type }) => {
      const column = identifier(name);
      const text = { INTEGER: column, REAL: `format('%!.17g', ${column})`, TEXT: textOf(column) }[storageType(type)];
      return `coalesce(${text}, '\\N')`;
    });
    return `concat_ws(char(9), ${[CUSTOMER_COLUMN, ...values, ROW_COLUMN].join(', ')})`;
  };
  const texts = columns.flatMap(({ name, type }) => (storageType(type) === 'TEXT' ? identifier(name) : []));
  const all = `concat(${["''", ...texts].join(', ')})`;
  // Few texts have signs to escape. JSON escapes these too, and SQLite finds out fast.
  const isPlain = `octet_length(json_quote(${all})) = octet_length(${all}) + 2`;
  return `iif(${isPlain}, ${line((column) => column)}, ${line(escaped)})`;
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
