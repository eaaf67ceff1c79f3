import type { StateApp } from '../../engine/app.ts';
import { warehousePath } from '../../engine/folder/folder-paths.ts';
import type { ReadLink } from '../../storage/records/read-link-table.ts';
import { savedQuestion } from '../../storage/records/saved-question-table.ts';
import { closedSelect } from '../../storage/warehouse/closed-select.ts';
import type { OfferedTables } from '../../storage/warehouse/publish/published-data.ts';
import { identifier, type StoredQuery, storedQueries } from '../../storage/warehouse/query-table.ts';

interface FoundSource {
  readonly kind: 'found';
  /** SQL after FROM. */
  readonly from: string;
  /** Undefined for a question. Its rows have the columns. */
  readonly columns: readonly string[] | undefined;
  /** Identifies the rows. Undefined if they can change without a publication. */
  readonly publication: string | undefined;
}

export type LinkSource = FoundSource | { readonly kind: 'gone' | 'unpublished'; readonly problem: string };

type Sought = Pick<ReadLink, 'name' | 'questionId'> & { readonly fixed: Pick<ReadLink['fixed'], 'named'> };

/** Finds the table or the question of a link. */
export async function linkSource(app: StateApp, link: Sought): Promise<LinkSource> {
  const published = await publishedNow(app);
  if (published === undefined) return { kind: 'unpublished', problem: 'No run has published data yet.' };
  const guarded = await guardedTables(app, published);
  const found = link.questionId === undefined ? tableOf(link, published) : await questionOf(app, link, guarded);
  if (found.kind !== 'found') return found;
  const isLive = !published.isFile && [...guarded].some((table) => isWordIn(table, found.from));
  return { ...found, publication: isLive ? undefined : published.publication };
}

/** On PostgreSQL, a run changes the tables of queries before it publishes. */
export async function publishedNow({ state, settings }: StateApp): Promise<OfferedTables | undefined> {
  const file = await state.warehouse.openPublished(warehousePath(settings.paths.data));
  if (file === undefined) return undefined;
  try {
    const offered = await file.offered();
    if (offered.isFile) return offered;
    return { ...offered, publication: `${offered.publication} ${await file.newestReading(undefined)}` };
  } finally {
    file.close();
  }
}

/**
 * Tables of messages and of the record, and those with single clicks. A link reads them only if it names them. A model can
 * rename a column, so each table that is made only from such tables is guarded, too.
 */
export async function guardedTables(
  { state }: Pick<StateApp, 'state'>,
  { columns, tables }: Pick<OfferedTables, 'columns' | 'tables'>,
  resources: readonly string[] = ['click_view'],
): Promise<ReadonlySet<string>> {
  const isOf = (query: StoredQuery, resource: string) =>
    query.resource === resource || query.columns.some(({ field }) => field.startsWith(`${resource}.`));
  const ofClicks = (await storedQueries(state.db)).filter((query) => resources.some((one) => isOf(query, one)));
  const named = columns.filter(({ group, column }) => group === 'record' || /(?:gclid|gbraid|wbraid)$/.test(column));
  const guarded = new Set([...named.map(({ table }) => table), ...ofClicks.map(({ name }) => name)]);
  const origins = new Set(ofClicks.map(({ name }) => `query ${name}`));
  for (const { table, readBy = '' } of tables) {
    if (guarded.has(table)) for (const reader of readBy.split(', ')) origins.add(reader);
  }
  for (const { table, source } of tables) {
    if (source?.split(', ').every((one) => origins.has(one))) guarded.add(table);
  }
  return guarded;
}

function tableOf({ name }: Sought, { columns: all, isFile }: OfferedTables): LinkSource {
  const columns = all.filter(({ table }) => table === name).map(({ column }) => column);
  if (columns.length === 0) return { kind: 'gone', problem: 'The table of this link does not exist.' };
  const from = `${isFile ? 'main' : 'warehouse'}.${identifier(name)}`;
  return { kind: 'found', from, columns, publication: undefined };
}

async function questionOf(
  { state }: StateApp,
  { questionId, fixed }: Sought,
  guarded: ReadonlySet<string>,
): Promise<LinkSource> {
  const question = await savedQuestion(state.db, String(questionId));
  if (question === undefined) return { kind: 'gone', problem: 'The question of this link does not exist.' };
  const text = closedSelect(question.query);
  if (text === undefined) {
    const problem = 'A question with \\, $, [, `, unbalanced parentheses or hidden names cannot be shared.';
    return { kind: 'gone', problem };
  }
  const unnamed = [...guarded].filter((table) => isWordIn(table, text) && !fixed.named.includes(table));
  if (unnamed.length > 0) {
    const problem = `The question reads tables that the link does not name: ${unnamed.join(', ')}.`;
    return { kind: 'gone', problem };
  }
  return { kind: 'found', from: `(\n${text}\n) AS question`, columns: undefined, publication: undefined };
}

/** Also in texts and comments, because SQLite takes a text for a name. */
const isWordIn = (table: string, sql: string) => new RegExp(`\\b${table}\\b`, 'i').test(sql);
