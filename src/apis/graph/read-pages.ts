import * as z from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed, tooLarge } from '../../http/classify-failure.ts';
import { withRetriesTold } from '../../http/retry.ts';
import { callGraph } from './call-graph.ts';
import type { GraphConnection } from './graph-connection.ts';

/** A list that does not end is a fault of the service, not a reason to ask forever. */
const PAGES_MAX = 1_000;
/** Of all pages together, which are held in memory. */
const LIST_BYTES_MAX = 16 * 1024 * 1024;

const pagingShape = z
  .object({
    cursors: z
      .object({ after: z.string().min(1).optional() })
      .optional()
      .catch(undefined),
    next: z.string().optional(),
  })
  .optional();

/**
 * Every element of a list, page after page. The address of the next page, which the service gives and which holds the
 * token, is never followed: its cursor is asked for at the configured address. `what` completes "The list of …". Throws
 * `ApiError`; a page that passes for now is asked for again as the settings say.
 */
export async function readPages<Item extends z.ZodType>(
  graph: GraphConnection,
  path: string,
  what: string,
  item: Item,
): Promise<z.output<Item>[]> {
  const pageShape = z.object({ data: z.array(item), paging: pagingShape });
  const items: z.output<Item>[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for (let after: string | undefined; ; ) {
    const query: Record<string, string> = after === undefined ? {} : { after };
    const text = await withRetriesTold(graph, 'read', `The list of ${what}`, () =>
      callGraph(graph, { method: 'GET', path, query }),
    );
    bytes += Buffer.byteLength(text);
    if (bytes > LIST_BYTES_MAX) throw tooLarge(`The list of ${what}`, LIST_BYTES_MAX);
    const page = pageShape.safeParse(parseJson(text));
    if (!page.success) throw malformed('MALFORMED', `The list of ${what} is not JSON with the data expected`, false);
    items.push(...page.data.data);
    const { next, cursors } = page.data.paging ?? {};
    if (next === undefined) return items;
    after = cursors?.after ?? cursorOf(next);
    if (after === undefined || seen.has(after) || seen.size >= PAGES_MAX) {
      throw malformed('WRONG_ANSWER', `The list of ${what} goes on and does not say where`, false);
    }
    seen.add(after);
  }
}

function cursorOf(next: string): string | undefined {
  return URL.canParse(next) ? (new URL(next).searchParams.get('after') ?? undefined) : undefined;
}
