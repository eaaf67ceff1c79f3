import type { SchemaFault } from '../record-store.ts';
import { MADE_OBJECTS } from '../record-tables.ts';
import type { Connected } from './prepared.ts';

/** With `temp.`, SQLite uses its own functions even if a table has the same name. */
const OBJECTS = `
  SELECT type || ' ' || name,
    CASE type
      WHEN 'table' THEN (SELECT group_concat(name || ' ' || type, ', ') FROM temp.pragma_table_info(one.name, 'main'))
      ELSE coalesce(sql, '')
    END
  FROM main.sqlite_schema AS one WHERE name IN (SELECT value FROM temp.json_each(?))`;

const NAMES = JSON.stringify(Array.from(MADE_OBJECTS.keys(), (object) => object.split(' ')[1]));

/** Triggers protect the audit trail from alterations. */
const isGuard = (object: string) => object.startsWith('trigger ');

const RECORD = /^\w+ (budget_|foreign_change|decision)/;

/** Returns the first difference. Ignores additional objects. */
export function schemaFault(
  { connection }: Connected,
  which: 'all' | 'guards' | 'all but guards' = 'all',
): SchemaFault | undefined {
  const found = new Map(connection.prepare(OBJECTS).raw().all(NAMES) as [string, string | null][]);
  for (const [object, words] of MADE_OBJECTS) {
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
  return onOneLine(there) === wanted ? undefined : `${object} differs from the one that pacekeeper creates`;
}

export function onOneLine(words: string): string {
  return words.replaceAll(/\s+/g, ' ');
}
