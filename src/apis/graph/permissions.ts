import * as z from 'zod';
import type { GraphUserId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../../http/classify-failure.ts';
import { withRetriesTold } from '../../http/retry.ts';
import { tellableWord } from '../../http/tellable.ts';
import { callGraph } from './call-graph.ts';
import type { GraphConnection } from './graph-connection.ts';
import { readPages } from './read-pages.ts';

export interface Permission {
  /** Such as pages_show_list. */
  readonly permission: string;
  /** granted, declined, expired, or a word to come. */
  readonly status: string;
}

const record = z.object({ permission: z.string(), status: z.string() });
const revocation = z.object({ success: z.literal(false) });

/** What the user granted to the app and what not (requirement A4). Throws `ApiError`. */
export async function permissions(graph: GraphConnection, user: GraphUserId): Promise<Permission[]> {
  const records = await readPages(graph, `${user}/permissions`, 'permissions', record);
  return records.map(({ permission, status }) => ({
    permission: tellableWord(permission, graph.redact),
    status: tellableWord(status, graph.redact),
  }));
}

/**
 * Takes every permission of the user back from the app (requirement A4); it has to be granted anew afterwards. Throws
 * `ApiError`; only what surely was not processed is tried again.
 */
export async function revokePermissions(graph: GraphConnection, user: GraphUserId): Promise<void> {
  const text = await withRetriesTold(graph, 'write', 'Taking the permissions back', () =>
    callGraph(graph, { method: 'DELETE', path: `${user}/permissions` }),
  );
  if (!revocation.safeParse(parseJson(text)).success) return;
  throw malformed('NOT_REVOKED', 'The messaging interface took the request and says that nothing was revoked', false);
}
