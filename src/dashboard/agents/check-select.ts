import type { StateApp } from '../../engine/app.ts';
import { closedSelect } from '../../storage/warehouse/closed-select.ts';
import { placed } from '../../storage/warehouse/explored.ts';
import { readSelect } from '../../storage/warehouse/sqlite/check-models.ts';
import { guardedTables, publishedNow } from '../links/link-source.ts';
import { type Refused, refusal } from './answer.ts';

export type CheckedSelect =
  | { readonly kind: 'checked'; readonly sql: string /** Identifies the rows. */; readonly publication: string }
  | { readonly kind: 'refused'; readonly refused: Refused['refused'] };

export const NOT_FOR_AGENTS = 'TABLE_NOT_FOR_AGENTS';

/** It has only names and explanations. */
const OPEN = ['data_dictionary'];

/** Words that a text may contain beside tables, so that a table is found even in quotes and comments. */
const wordsOf = (sql: string) => new Set(sql.toLowerCase().match(/\w+/g) ?? []);

/** Checks one SELECT before it runs. Tables that are not for agents must not even be named. */
export async function checkSelect(app: StateApp, source: string): Promise<CheckedSelect> {
  const published = await publishedNow(app);
  if (published === undefined) return refused('NOTHING_PUBLISHED', 'No run has published data yet.');
  const [problem] = readSelect(source).refusals;
  if (problem) return refused('SQL_REFUSED', placed(problem.span, problem.message), problem.hint);
  const sql = closedSelect(source);
  if (sql === undefined)
    return refused(
      'SQL_REFUSED',
      'The SELECT has \\, $, [, `, unbalanced parentheses or hidden names.',
      'Leave them out.',
    );
  const words = wordsOf(sql);
  const allowed = [...OPEN, ...app.settings.agents.tables];
  const guarded = [...(await guardedTables(app, published, ['click_view', 'search_term_view']))];
  const named = guarded.filter((table) => words.has(table.toLowerCase()) && !allowed.includes(table));
  if (named.length === 0) return { kind: 'checked', sql, publication: published.publication };
  return refused(
    NOT_FOR_AGENTS,
    `The SELECT names ${named.join(', ')}: messages, the record, clicks or search terms.`,
    'Read other tables. A person can allow these with agents.tables.',
  );
}

function refused(code: string, reason: string, nextStep?: string): CheckedSelect {
  return { kind: 'refused', ...refusal(code, reason, nextStep) };
}
