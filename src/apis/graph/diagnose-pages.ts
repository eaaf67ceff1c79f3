import type { GraphUserId } from '../../domain/ids.ts';
import type { GraphConnection } from './graph-connection.ts';
import { type PageToken, pageTokens } from './page-tokens.ts';
import { type Permission, permissions } from './permissions.ts';

/** Why there are pages or none, and what is to be done about it. */
export interface PagesDiagnosis {
  readonly kind:
    | 'pages_there'
    /** Nothing to grant tokens for, as far as the permission goes. */
    | 'not_granted'
    /** Granted, and no page comes all the same: the remedy of rule 5. */
    | 'granted_without_pages';
  readonly pages: readonly PageToken[];
  readonly permissions: readonly Permission[];
  /** A sentence. */
  readonly finding: string;
  /** What to do, in this order, a sentence each. */
  readonly steps: readonly string[];
}

const LISTS_PAGES = 'pages_show_list';

/** What is left of the remedy once the permissions are taken back; whoever was never asked for them needs the rest of it. */
const REMEDY: readonly string[] = [
  "Deactivate the app's business features for the page in the account's integrations settings, if they are active.",
  `Grant the permissions, ${LISTS_PAGES} among them, and set GRAPH_ACCESS_TOKEN to the new token.`,
  'Run pacekeeper graph diagnose-pages again.',
];

/** Asks for the pages and the permissions of a user and says what follows (requirement A5). Changes nothing. */
export async function diagnosePages(graph: GraphConnection, user: GraphUserId): Promise<PagesDiagnosis> {
  return decidePages(await pageTokens(graph, user), await permissions(graph, user));
}

/** What an answer of pages and one of permissions mean together (requirement A5). */
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
    const now = status === undefined ? 'it was taken back, or never asked for' : `it is ${status}`;
    return {
      kind: 'not_granted',
      ...facts,
      finding: `There is no page, and the permission ${LISTS_PAGES} is not granted: ${now}.`,
      steps: REMEDY,
    };
  }
  return {
    kind: 'granted_without_pages',
    ...facts,
    finding: `There is no page although ${LISTS_PAGES} is granted.`,
    steps: ['Take the permissions back: pacekeeper graph diagnose-pages --revoke does it.', ...REMEDY],
  };
}
