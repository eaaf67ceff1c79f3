import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parseJson } from '../domain/parse-json.ts';

export type Route =
  | { readonly kind: 'list' }
  | { readonly kind: 'fields'; readonly version: string }
  | { readonly kind: 'field'; readonly version: string; readonly name: string }
  | { readonly kind: 'stream' | 'search' | 'mutate' | 'ideas'; readonly version: string; readonly customer: string }
  | { readonly kind: 'message' | 'message_list'; readonly account: string }
  | { readonly kind: 'message_fetch'; readonly account: string; readonly sid: string }
  | GraphRoute
  | ContainerRoute
  | PostedRoute
  | { readonly kind: 'token' }
  | { readonly kind: 'other' };

export const API_VERSION = '2010-04-01';

const CUSTOMER_OPERATIONS = {
  '/googleAds:searchStream': 'stream',
  '/googleAds:search': 'search',
  '/campaignBudgets:mutate': 'mutate',
  ':generateKeywordIdeas': 'ideas',
} as const;

function routeRequest(method: string, path: string): Route {
  const decoded = decodePath(path.replace(/\?.*$/, ''));
  const other =
    routeMessages(method, decoded) ??
    routeContainer(method, decoded) ??
    routePosted(method, decoded) ??
    routeGraph(method, decoded);
  if (other !== undefined) return other;
  const ofFields = routeFields(method, decoded);
  if (ofFields !== undefined) return ofFields;
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

function routeFields(method: string, path: string): Route | undefined {
  const [, version = '', rest = ''] = /^\/(v[1-9]\d?)\/googleAdsFields([:/].+)$/.exec(path) ?? [];
  if (method === 'POST' && rest === ':search') return { kind: 'fields', version };
  return method === 'GET' && rest.startsWith('/') ? { kind: 'field', version, name: rest.slice(1) } : undefined;
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

/** Channels that take alerts as JSON documents. */
const POSTED = [
  'email',
  'slack',
  'teams',
  'google_chat',
  'discord',
  'ntfy',
  'webhook',
  'alertmanager',
  'pagerduty',
] as const;

export interface PostedRoute {
  readonly kind: 'posted';
  readonly channel: (typeof POSTED)[number];
  /** An address, or a name from the settings. */
  readonly to: string;
}

function routePosted(method: string, path: string): PostedRoute | undefined {
  const [, name, to = ''] =
    /^\/posted\/([a-z_]+)\/([^/]+)(?:\/api\/v2\/alerts|\/v2(?:\/change)?\/enqueue)?$/.exec(path) ?? [];
  const channel = POSTED.find((one) => one === name);
  if (method !== 'POST' || channel === undefined) return undefined;
  return { kind: 'posted', channel, to };
}

export type ContainerRoute = { readonly kind: 'container_login' | 'container_users' | 'container_health' };

function routeContainer(method: string, path: string): ContainerRoute | undefined {
  if (method === 'POST' && path === '/v1/users/login') return { kind: 'container_login' };
  if (method === 'POST' && path === '/v1/users') return { kind: 'container_users' };
  if (method === 'GET' && path === '/v1/health') return { kind: 'container_health' };
  return undefined;
}

export type GraphRoute =
  | {
      readonly kind: 'graph_send' | 'graph_phone_numbers' | 'graph_accounts' | 'graph_permissions' | 'graph_revoke';
      readonly id: string;
    }
  | { readonly kind: 'graph_unsupported'; readonly id: string }
  | { readonly kind: 'graph_unknown' };

const EDGES = {
  messages: { POST: 'graph_send' },
  phone_numbers: { GET: 'graph_phone_numbers' },
  accounts: { GET: 'graph_accounts' },
  permissions: { GET: 'graph_permissions', DELETE: 'graph_revoke' },
} as const;

/** Section 9 of the specification names versions from v3.3 to v15.0. */
const VERSION = /^v[1-9]\d?\.(0|[1-9]\d?)$/;

/** Returns undefined for paths of other interfaces. */
function routeGraph(method: string, path: string): GraphRoute | undefined {
  const [, first = '', id = '', edge = '', ...more] = path.split('/');
  if (/^(customers|googleAdsFields)/.test(id)) return undefined;
  const methods = Object.entries(EDGES).find(([name]) => name === edge)?.[1];
  if (!VERSION.test(first)) {
    // Without a valid version, only a path with a known name belongs to the graph interface.
    const meant = methods !== undefined || (Object.hasOwn(EDGES, id) && edge === '');
    return meant ? { kind: 'graph_unknown' } : undefined;
  }
  if (methods === undefined || id === '' || more.length > 0) return { kind: 'graph_unknown' };
  const kind = Object.entries(methods).find(([name]) => name === method)?.[1];
  return { kind: kind ?? 'graph_unsupported', id };
}

export interface SandboxRequest {
  readonly kind: Route['kind'];
  readonly method: string;
  /** Includes the query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** At most the first 1,048,576 characters. */
  readonly body: string;
  readonly validateOnly?: boolean;
  readonly customerId?: string;
  readonly query?: string;
}

export interface ReadRequest {
  readonly recorded: SandboxRequest;
  readonly route: Route;
  readonly text: string;
  readonly json: unknown;
  readonly problem: 'no_content_length' | 'too_large' | undefined;
}

const BODY_BYTES_MAX = 10 * 1024 * 1024;
const RECORDED_CHARACTERS_MAX = 1024 * 1024;

/** Bodies above 10 MiB are discarded and reported as `too_large`. */
export async function readRequest(request: IncomingMessage): Promise<ReadRequest> {
  const method = request.method ?? 'GET';
  const path = request.url ?? '/';
  const route = routeRequest(method, path);
  const found = problemOf(request, method, route);
  const read = found === undefined ? await readText(request) : undefined;
  const problem = found === undefined && read === undefined ? 'too_large' : found;
  const text = read ?? '';
  const json = parseJson(text);
  const recorded = {
    kind: route.kind,
    method,
    path,
    headers: request.headers,
    body: text.slice(0, RECORDED_CHARACTERS_MAX),
    ...('customer' in route ? { customerId: route.customer } : {}),
    ...(route.kind === 'mutate' || route.kind === 'search'
      ? { validateOnly: member(json, 'validateOnly') === true }
      : {}),
    ...queryOf(route, json),
  };
  return { recorded, route, text, json, problem };
}

export function bearerOf({ recorded }: ReadRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(recorded.headers.authorization ?? '')?.[1];
}

export function basicOf({ recorded }: ReadRequest): string {
  const encoded = /^Basic +(\S+)$/i.exec(recorded.headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function queryOf(route: Route, json: unknown): { readonly query?: string } {
  const query = ['stream', 'search', 'fields'].includes(route.kind) ? member(json, 'query') : undefined;
  return typeof query === 'string' ? { query } : {};
}

/** Only the advertising interface and its token endpoint require a content length (section 4.2, rule 2). */
const WANT_LENGTH: ReadonlySet<Route['kind']> = new Set(['stream', 'search', 'fields', 'mutate', 'ideas', 'token']);

function problemOf(request: IncomingMessage, method: string, { kind }: Route): ReadRequest['problem'] {
  const length = request.headers['content-length'];
  if (length === undefined) return method === 'POST' && WANT_LENGTH.has(kind) ? 'no_content_length' : undefined;
  return Number(length) > BODY_BYTES_MAX ? 'too_large' : undefined;
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // The rest must be read, because clients send everything before they read the answer.
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return bytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString('utf8');
}
