/** Which operation a request asks for. */
export type Route =
  | { readonly kind: 'list' }
  | { readonly kind: 'stream' | 'search' | 'mutate' | 'ideas'; readonly version: string; readonly customer: string }
  | { readonly kind: 'message'; readonly account: string }
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
  if (method === 'GET') {
    return /^\/v\d+\/customers:listAccessibleCustomers$/.test(decoded) ? { kind: 'list' } : { kind: 'other' };
  }
  if (method !== 'POST') return { kind: 'other' };
  if (decoded === '/token') return { kind: 'token' };
  const message = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json$/.exec(decoded);
  if (message?.[1] !== undefined) return { kind: 'message', account: message[1] };
  const match = /^\/(v\d+)\/customers\/([^/:]*)([/:].*)$/.exec(decoded);
  const operation = Object.entries(CUSTOMER_OPERATIONS).find(([suffix]) => suffix === match?.[3]);
  if (!match || !operation) return { kind: 'other' };
  return { kind: operation[1], version: match[1] ?? '', customer: match[2] ?? '' };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
