import { MADE_BY_MIGRATIONS } from './made-by-migrations.ts';

/** Each object of the records, such as `table run`, with its columns or its SQL. */
export const MADE_OBJECTS: ReadonlyMap<string, string> = new Map(
  MADE_BY_MIGRATIONS.map((line): [string, string] => {
    const end = line.indexOf(': ');
    return [line.slice(0, end), line.slice(end + 2)];
  }),
);

/** The tables of the records and their columns. */
export const RECORD_TABLES: ReadonlyMap<string, readonly string[]> = new Map(
  [...MADE_OBJECTS].flatMap(([object, columns]): [string, string[]][] => {
    const [kind, name = ''] = object.split(' ');
    return kind === 'table' ? [[name, columns.split(', ').map((column) => column.split(' ')[0] ?? '')]] : [];
  }),
);
