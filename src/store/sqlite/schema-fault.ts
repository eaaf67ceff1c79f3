import { MADE_BY_MIGRATIONS } from '../made-by-migrations.ts';
import type { Connected } from './prepared.ts';

/**
 * The columns of tables in their order, and the words of all else on one line. Only what is asked for: tables of queries are many. In
 * `temp` the functions are SQLite's own, whatever a query's table is called.
 */
const OBJECTS = `
  SELECT type || ' ' || name,
    CASE type
      WHEN 'table' THEN (SELECT group_concat(name || ' ' || type, ', ') FROM temp.pragma_table_info(one.name, 'main'))
      ELSE coalesce(sql, '')
    END
  FROM main.sqlite_schema AS one WHERE name IN (SELECT value FROM temp.json_each(?))`;

const NAMES = JSON.stringify(MADE_BY_MIGRATIONS.map(([object]) => object.split(' ')[1]));

/** The triggers keep the record from being altered; without them all can still be read, and what was altered be found. */
const isGuard = (object: string) => object.startsWith('trigger ');

/** Something that a file lacks of what the migrations make, or has otherwise. */
export interface SchemaFault {
  /** What follows "is damaged:". */
  readonly words: string;
  /** It belongs to the record of budget changes, which somebody may have wanted to alter. */
  readonly ofRecord: boolean;
}

const RECORD = /^\w+ (budget_|foreign_change|decision)/;

/** The first fault of a file that is up to date; undefined where all is there. What else is in the file is nobody's fault. */
export function schemaFault(
  { connection }: Connected,
  which: 'all' | 'guards' | 'all but guards' = 'all',
): SchemaFault | undefined {
  const found = new Map(connection.prepare(OBJECTS).raw().all(NAMES) as [string, string | null][]);
  for (const [object, words] of MADE_BY_MIGRATIONS) {
    if (which !== 'all' && isGuard(object) !== (which === 'guards')) continue;
    const there = found.get(object);
    const fault = faultOf(object, words, there ?? undefined);
    if (fault !== undefined) return { words: fault, ofRecord: RECORD.test(object) };
  }
  return undefined;
}

function faultOf(object: string, wanted: string, there: string | undefined): string | undefined {
  if (there === undefined) return `${object} is missing`;
  return object.startsWith('table ') ? columnFault(object, wanted, there) : wordsFault(object, wanted, there);
}

function columnFault(table: string, wanted: string, there: string): string | undefined {
  if (wanted === there) return undefined;
  const types = new Map(columnsOf(there));
  for (const [name, type] of columnsOf(wanted)) {
    const found = types.get(name);
    if (found === undefined) return `column ${name} of ${table} is missing`;
    if (found !== type) return `column ${name} of ${table} is ${found}, expected ${type}`;
  }
  return undefined;
}

function columnsOf(words: string): [name: string, type: string][] {
  return words.split(', ').map((column) => {
    const at = column.lastIndexOf(' ');
    return [column.slice(0, at), column.slice(at + 1)];
  });
}

function wordsFault(object: string, wanted: string, there: string): string | undefined {
  return onOneLine(there) === wanted ? undefined : `${object} is not the one that pacekeeper makes`;
}

/** How a statement is broken into lines is no part of it. */
export function onOneLine(words: string): string {
  return words.replaceAll(/\s+/g, ' ');
}
