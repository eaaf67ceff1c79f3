import { MADE_BY_MIGRATIONS } from './made-by-migrations.ts';

/** The tables of the records and their columns. */
export const RECORD_TABLES: ReadonlyMap<string, readonly string[]> = new Map(
  MADE_BY_MIGRATIONS.flatMap(([object, columns]): [string, string[]][] => {
    const [kind, name = ''] = object.split(' ');
    return kind === 'table' ? [[name, columns.split(', ').map((column) => column.split(' ')[0] ?? '')]] : [];
  }),
);
