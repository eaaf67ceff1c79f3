/** One page of a list of area A, or what is wrong with the request for it. */
export type GraphPage =
  | { readonly kind: 'page'; readonly body: object }
  | { readonly kind: 'refused'; readonly sentence: string };

const LIMIT = 25;
const LIMIT_MAX = 100;

interface Identified {
  readonly id: string;
}

/**
 * The page that `after`, `before` and `limit` ask for. `next` and `previous` are whole addresses that carry every parameter
 * of the request, an `access_token` among them, as the public interface's do.
 */
export function pageOf<Item extends Identified>(
  items: readonly Item[],
  query: URLSearchParams,
  address: string,
  show: (item: Item) => object,
): GraphPage {
  const limit = Number(query.get('limit') ?? LIMIT);
  if (!Number.isSafeInteger(limit) || limit < 1) {
    return { kind: 'refused', sentence: 'Param limit must be an integer above 0.' };
  }
  const size = Math.min(limit, LIMIT_MAX);
  const place = (name: 'after' | 'before') => {
    const cursor = query.get(name);
    return cursor === null ? undefined : items.findIndex((item) => cursorOf(item) === cursor);
  };
  const [after, before] = [place('after'), place('before')];
  if (after === -1 || before === -1) return { kind: 'refused', sentence: 'Invalid cursors values.' };
  const end = after === undefined && before !== undefined ? before : undefined;
  const start = end === undefined ? (after ?? -1) + 1 : Math.max(0, end - size);
  const shown = items.slice(start, end ?? start + size);
  const [first, last] = [shown[0], shown.at(-1)];
  if (!first || !last) return { kind: 'page', body: { data: [] } };
  const link = (name: 'after' | 'before', item: Item) => {
    const parameters = new URLSearchParams(query);
    parameters.delete('after');
    parameters.delete('before');
    parameters.set('limit', String(limit));
    parameters.set(name, cursorOf(item));
    return `${address}?${parameters}`;
  };
  const cursors = { before: cursorOf(first), after: cursorOf(last) };
  const next = start + shown.length < items.length ? { next: link('after', last) } : {};
  const previous = start > 0 ? { previous: link('before', first) } : {};
  return { kind: 'page', body: { data: shown.map(show), paging: { cursors, ...next, ...previous } } };
}

function cursorOf({ id }: Identified): string {
  return Buffer.from(`cursor ${id}`).toString('base64url');
}
