import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Route, routeRequest } from './route-request.ts';

/** A request as the sandbox received it, for tests and fault injection. */
export interface SandboxRequest {
  readonly kind: Route['kind'];
  readonly method: string;
  /** As sent: path and, when there is one, query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Text; at most the first 1 MiB. */
  readonly body: string;
  /** Of a mutate or a paged search: the flag as sent, false when absent. */
  readonly validateOnly?: boolean;
  /** The path's customer, digits or not. */
  readonly customerId?: string;
  /** Of a reporting query. */
  readonly query?: string;
}

export interface ReadRequest {
  readonly recorded: SandboxRequest;
  readonly route: Route;
  /** The whole body. */
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown;
  readonly problem: 'no_content_length' | 'too_large' | undefined;
}

const BODY_BYTES_MAX = 10 * 1024 * 1024;
const RECORDED_CHARACTERS_MAX = 1024 * 1024;

/** Reads a request to its end. A POST of area B without a content length, or one that is too long, is not read. */
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
    ...{ kind: route.kind, method, path, headers: request.headers },
    body: text.slice(0, RECORDED_CHARACTERS_MAX),
    ...('customer' in route ? { customerId: route.customer } : {}),
    ...(route.kind === 'mutate' || route.kind === 'search'
      ? { validateOnly: member(json, 'validateOnly') === true }
      : {}),
    ...queryOf(route, json),
  };
  return { recorded, route, text, json, problem };
}

/** A member of a JSON object; undefined when the value is no object or has no such member of its own. */
function member(value: unknown, name: string): unknown {
  if (!isJsonObject(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function queryOf(route: Route, json: unknown): { readonly query?: string } {
  const query = route.kind === 'stream' || route.kind === 'search' ? member(json, 'query') : undefined;
  return typeof query === 'string' ? { query } : {};
}

/** Those of area B, which alone wants a length (section 4.2, rule 2), and where its tokens come from. */
const WANT_LENGTH: ReadonlySet<Route['kind']> = new Set(['stream', 'search', 'mutate', 'ideas', 'token']);

function problemOf(request: IncomingMessage, method: string, { kind }: Route): ReadRequest['problem'] {
  const length = request.headers['content-length'];
  if (length === undefined) return method === 'POST' && WANT_LENGTH.has(kind) ? 'no_content_length' : undefined;
  return Number(length) > BODY_BYTES_MAX ? 'too_large' : undefined;
}

/** Undefined for a body of more than any may have. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // The rest passes unread, so that the sender gets the answer.
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return bytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
