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

/** An operation of area D. */
export type ContainerRoute = { readonly kind: 'container_login' | 'container_users' | 'container_health' };

/** The operation of area D that a decoded path names; undefined when it is not area D's. */
function routeContainer(method: string, path: string): ContainerRoute | undefined {
  if (method === 'POST' && path === '/v1/users/login') return { kind: 'container_login' };
  if (method === 'POST' && path === '/v1/users') return { kind: 'container_users' };
  if (method === 'GET' && path === '/v1/health') return { kind: 'container_health' };
  return undefined;
}

/** An operation of area A, with the object it is asked of. */
export type GraphRoute =
  | {
      readonly kind: 'graph_send' | 'graph_phone_numbers' | 'graph_accounts' | 'graph_permissions' | 'graph_revoke';
      readonly id: string;
    }
  /** The path is one of the interface's, the method is not for it. */
  | { readonly kind: 'graph_unsupported'; readonly id: string }
  | { readonly kind: 'graph_unknown' };

const EDGES = {
  messages: { POST: 'graph_send' },
  phone_numbers: { GET: 'graph_phone_numbers' },
  accounts: { GET: 'graph_accounts' },
  permissions: { GET: 'graph_permissions', DELETE: 'graph_revoke' },
} as const;

/** Section 9 has v3.3 to v15.0; none begins at 0, and none has a digit too many. */
const VERSION = /^v[1-9]\d?\.(0|[1-9]\d?)$/;

/**
 * The operation that a decoded path names; undefined when it is not area A's. Area B's paths are told apart by their
 * `customers`, whatever version stands before them.
 */
function routeGraph(method: string, path: string): GraphRoute | undefined {
  const [, first = '', id = '', edge = '', ...more] = path.split('/');
  if (id.startsWith('customers')) return undefined;
  const methods = Object.entries(EDGES).find(([name]) => name === edge)?.[1];
  if (!VERSION.test(first)) {
    // Without a version, or with one of another form, nothing of this interface has a place.
    const meant = methods !== undefined || (Object.hasOwn(EDGES, id) && edge === '');
    return meant ? { kind: 'graph_unknown' } : undefined;
  }
  if (methods === undefined || id === '' || more.length > 0) return { kind: 'graph_unknown' };
  const kind = Object.entries(methods).find(([name]) => name === method)?.[1];
  return { kind: kind ?? 'graph_unsupported', id };
}
