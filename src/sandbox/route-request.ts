import { type ContainerRoute, routeContainer } from './container/route-container.ts';
import { type GraphRoute, routeGraph } from './graph/route-graph.ts';

/** Which operation a request asks for. */
export type Route =
  | { readonly kind: 'list' }
  | { readonly kind: 'stream' | 'search' | 'mutate' | 'ideas'; readonly version: string; readonly customer: string }
  | { readonly kind: 'message' | 'message_list'; readonly account: string }
  | { readonly kind: 'message_fetch'; readonly account: string; readonly sid: string }
  | GraphRoute
  | ContainerRoute
  | { readonly kind: 'token' }
  | { readonly kind: 'other' };

const CUSTOMER_OPERATIONS = {
  '/googleAds:searchStream': 'stream',
  '/googleAds:search': 'search',
  '/campaignBudgets:mutate': 'mutate',
  ':generateKeywordIdeas': 'ideas',
} as const;

/** The table of operations: method and path to route. Everything else is `other`, which is answered 404. */
export function routeRequest(method: string, path: string): Route {
  const decoded = decodePath(path.replace(/\?.*$/, ''));
  const other = routeMessages(method, decoded) ?? routeContainer(method, decoded) ?? routeGraph(method, decoded);
  if (other !== undefined) return other;
  if (method === 'GET') {
    return /^\/v[1-9]\d?\/customers:listAccessibleCustomers$/.test(decoded) ? { kind: 'list' } : { kind: 'other' };
  }
  if (method !== 'POST') return { kind: 'other' };
  if (decoded === '/token') return { kind: 'token' };
  const match = /^\/(v[1-9]\d?)\/customers\/([^/:]*)([/:].*)$/.exec(decoded);
  const operation = Object.entries(CUSTOMER_OPERATIONS).find(([suffix]) => suffix === match?.[3]);
  if (!match || !operation) return { kind: 'other' };
  return { kind: operation[1], version: match[1] ?? '', customer: match[2] ?? '' };
}

function routeMessages(method: string, path: string): Route | undefined {
  const [, account, sid] = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages(?:\/([^/]+))?\.json$/.exec(path) ?? [];
  if (account === undefined) return undefined;
  if (sid !== undefined) return method === 'GET' ? { kind: 'message_fetch', account, sid } : undefined;
  if (method === 'POST') return { kind: 'message', account };
  return method === 'GET' ? { kind: 'message_list', account } : undefined;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
