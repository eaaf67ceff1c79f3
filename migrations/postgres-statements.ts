import { translated } from '../src/storage/records/postgres/translated.ts';

/** A table, index or trigger as SQLite keeps it after all migrations. */
export interface MadeObject {
  readonly type: 'table' | 'index' | 'trigger';
  readonly name: string;
  readonly sql: string | null;
}

/** The statements that make the same tables and indexes on PostgreSQL, in an order that every reference allows. */
export function postgresStatements(objects: readonly MadeObject[]): string[] {
  const tables = objects.filter(({ type }) => type === 'table');
  const indexes = objects.filter(({ type, sql }) => type === 'index' && sql !== null);
  return [...inOrder(tables), ...indexes].map(({ sql }) => translated(sql ?? ''));
}

function inOrder(tables: readonly MadeObject[]): MadeObject[] {
  const ordered: MadeObject[] = [];
  const left = [...tables];
  while (left.length > 0) {
    const known = new Set(ordered.map(({ name }) => name));
    const at = left.findIndex(({ name, sql }) =>
      [...(sql ?? '').matchAll(/REFERENCES "?(\w+)"?/g)].every(([, other = '']) => other === name || known.has(other)),
    );
    if (at < 0) throw new Error(`Tables refer to each other: ${left.map(({ name }) => name).join(', ')}.`);
    ordered.push(...left.splice(at, 1));
  }
  return ordered;
}
