import * as z from 'zod';
import type { GraphUserId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../../services/http/classify-failure.ts';
import { withLoggedRetries } from '../../services/http/retry.ts';
import { tellableName, tellableWord } from '../../services/http/tellable.ts';
import { callGraph, type GraphConnection, graphIdText, readPages } from './call-graph.ts';

export interface PageToken {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly category: string | undefined;
  readonly tasks: readonly string[];
  /** Secret: never log, report or print it. */
  readonly accessToken: string | undefined;
}

/** These fields come from the public API, because the specification does not list the fields of a page. */
const pageRecord = z.object({
  id: graphIdText.optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  category: z.string().optional().catch(undefined),
  tasks: z.array(z.string()).catch([]),
  access_token: z.string().optional().catch(undefined),
});

/** Implements requirement A3. Adds every returned token to the redaction. Throws `ApiError`. */
export async function pageTokens(graph: GraphConnection, user: GraphUserId): Promise<PageToken[]> {
  const records = await readPages(graph, `${user}/accounts`, 'pages', pageRecord);
  const { redact } = graph;
  // Learn all tokens first, because the name of one page can contain another page's token.
  for (const { access_token: token } of records) if (token !== undefined) redact.learn(token);
  return records.map(({ id, name, category, tasks, access_token: accessToken }) => ({
    id,
    name: tellableName(name, redact),
    category: tellableName(category, redact),
    tasks: tasks.map((task) => tellableWord(task, redact)),
    accessToken,
  }));
}

export interface Permission {
  readonly permission: string;
  readonly status: string;
}

const permissionRecord = z.object({ permission: z.string(), status: z.string() });
const revocation = z.object({ success: z.literal(false) });

/** Implements requirement A4. Throws `ApiError`. */
export async function permissions(graph: GraphConnection, user: GraphUserId): Promise<Permission[]> {
  const records = await readPages(graph, `${user}/permissions`, 'permissions', permissionRecord);
  return records.map(({ permission, status }) => ({
    permission: tellableWord(permission, graph.redact),
    status: tellableWord(status, graph.redact),
  }));
}

/** Implements requirement A4. Retries only if the service certainly did nothing. Throws `ApiError`. */
export async function revokePermissions(graph: GraphConnection, user: GraphUserId): Promise<void> {
  const text = await withLoggedRetries(graph, 'write', 'Revoking the permissions', () =>
    callGraph(graph, { method: 'DELETE', path: `${user}/permissions` }),
  );
  if (!revocation.safeParse(parseJson(text)).success) return;
  throw malformed('NOT_REVOKED', 'The graph interface accepted the request but revoked nothing', false);
}

export interface PagesDiagnosis {
  readonly kind:
    | 'pages_there'
    | 'not_granted'
    /** The user must revoke the permission and grant it again (requirement A5, rule 5). */
    | 'granted_without_pages';
  readonly pages: readonly PageToken[];
  readonly permissions: readonly Permission[];
  readonly finding: string;
  readonly steps: readonly string[];
}

const LISTS_PAGES = 'pages_show_list';

const REMEDY: readonly string[] = [
  "If the app's business features are active for the page, deactivate them in the account's integrations settings.",
  `Grant the permissions, including ${LISTS_PAGES}. Set GRAPH_ACCESS_TOKEN to the new token.`,
  'Run pacekeeper graph diagnose-pages again.',
];

/** Implements requirement A5. Changes nothing. */
export async function diagnosePages(graph: GraphConnection, user: GraphUserId): Promise<PagesDiagnosis> {
  return decidePages(await pageTokens(graph, user), await permissions(graph, user));
}

export function decidePages(pages: readonly PageToken[], granted: readonly Permission[]): PagesDiagnosis {
  const facts = { pages, permissions: granted };
  if (pages.length > 0) {
    return {
      kind: 'pages_there',
      ...facts,
      finding: `The token reaches ${pages.length === 1 ? 'one page' : `${pages.length} pages`}.`,
      steps: [],
    };
  }
  const status = granted.find(({ permission }) => permission === LISTS_PAGES)?.status;
  if (status !== 'granted') {
    const now = status === undefined ? 'it was revoked or never requested' : `it is ${status}`;
    return {
      kind: 'not_granted',
      ...facts,
      finding: `No page found. The permission ${LISTS_PAGES} is not granted: ${now}.`,
      steps: REMEDY,
    };
  }
  return {
    kind: 'granted_without_pages',
    ...facts,
    finding: `No page found, although ${LISTS_PAGES} is granted.`,
    steps: ['Revoke the permissions. Run pacekeeper graph diagnose-pages --revoke.', ...REMEDY],
  };
}
