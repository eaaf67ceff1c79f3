import { originIn, runState, targetKindOf } from '../../../../migrations/0006-facts.ts';
import type { StateFile } from '../../records/sqlite/open-state.ts';
import { instantOutside } from '../publish/published-table.ts';

/** Each table comes after the tables to which it refers. */
const TABLES = ['account', 'run', 'budget_intent', 'budget_event', 'budget_proposal', 'foreign_change'] as const;

/**
 * The published file stores these times in another form. Events keep their form, because their hashes cover the text.
 */
const INSTANTS: ReadonlySet<string> = new Set([
  'seen_at',
  'started_at',
  'ended_at',
  'created_at',
  'updated_at',
  'decided_at',
  'expires_at',
  'expected_at',
]);

/** SQL for columns that an old published file lacks. */
const NEW_FACTS: ReadonlyMap<string, string> = new Map([
  ['target_kind', targetKindOf('target')],
  ['origin', originIn('published')],
]);

/** Throws if the published file lacks a table. */
export function takeOverRecord({ connection }: StateFile, publishedPath: string): void {
  connection.prepare('ATTACH ? AS published').run(publishedPath);
  try {
    const copy = connection.transaction(() => {
      for (const table of TABLES) connection.exec(copyOf(connection, table));
      connection.exec(`INSERT INTO main.target (id, identity, kind)
        SELECT 1, target, ${targetKindOf('target')} FROM published.as_of WHERE target IS NOT NULL`);
    });
    copy.immediate();
  } finally {
    connection.exec('DETACH published');
  }
}

function copyOf(connection: StateFile['connection'], table: (typeof TABLES)[number]): string {
  const columnsOf = (schema: 'main' | 'published') =>
    connection.prepare<[string, string], string>('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema);
  const published = columnsOf('published');
  if (published.length === 0) throw new Error(`it has no table ${table}`);
  const columns = columnsOf('main').filter((name) => published.includes(name) || NEW_FACTS.has(name));
  const values = columns.map((name) => NEW_FACTS.get(name) ?? expressionOf(table, name));
  // Sorted by the first column, because the triggers accept events only in this order.
  return `INSERT INTO main.${table} (${columns.join()}) SELECT ${values.join()} FROM published.${table} ORDER BY 1`;
}

function expressionOf(table: string, column: string): string {
  if (table === 'run' && column === 'state') return runState;
  if (table === 'budget_intent' && (column === 'rule' || column === 'rule_version')) {
    return `coalesce(${column}, ${ofUndo(column)}, '')`;
  }
  if (column === 'rule_version') return "coalesce(rule_version, '')";
  return INSTANTS.has(column) && table !== 'budget_event' ? instantOutside(column) : column;
}

/** The published file shows no rule for an undo. The first event of the change has it. */
function ofUndo(column: string): string {
  return `(SELECT detail ->> '${column}' FROM published.budget_event
    WHERE intent_id = published.budget_intent.id ORDER BY budget_event.id LIMIT 1)`;
}
