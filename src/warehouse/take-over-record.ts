import type { StateFile } from '../store/open-state.ts';
import { instantOutside } from './published-instant.ts';

/** In an order in which what a row points to is there before it. */
const TABLES = ['account', 'run', 'budget_intent', 'budget_event', 'budget_proposal', 'foreign_change'] as const;

/** The published file shows them in another way, but for those of events, which are hashed as they stand. */
const INSTANTS: ReadonlySet<string> = new Set([
  'seen_at',
  'started_at',
  'ended_at',
  'created_at',
  'updated_at',
  'decided_at',
  'expires_at',
]);

/**
 * Copies from a published file into an empty state file: the accounts, the runs, and the whole record of budget changes with
 * its hashes. Answers with the service that the file is of, if it says. Throws for a file that lacks any of it.
 */
export function takeOverRecord({ connection }: StateFile, publishedPath: string): string | undefined {
  connection.prepare('ATTACH ? AS published').run(publishedPath);
  try {
    const copy = connection.transaction(() => {
      for (const table of TABLES) connection.exec(copyOf(connection, table));
      return connection.prepare('SELECT target FROM published.as_of').pluck().get() as string | null | undefined;
    });
    return copy.immediate() ?? undefined;
  } finally {
    connection.exec('DETACH published');
  }
}

function copyOf(connection: StateFile['connection'], table: (typeof TABLES)[number]): string {
  const columnsOf = (schema: 'main' | 'published') =>
    connection.prepare<[string, string], string>('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema);
  const published = columnsOf('published');
  if (published.length === 0) throw new Error(`it has no table ${table}`);
  const columns = columnsOf('main').filter((name) => published.includes(name));
  const values = columns.map((name) => expressionOf(table, name));
  // In the order of the record, as its triggers demand.
  return `INSERT INTO main.${table} (${columns.join()}) SELECT ${values.join()} FROM published.${table} ORDER BY 1`;
}

function expressionOf(table: string, column: string): string {
  if (column === 'rule_version') return "coalesce(rule_version, '')";
  return INSTANTS.has(column) && table !== 'budget_event' ? instantOutside(column) : column;
}
