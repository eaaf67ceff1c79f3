import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { RetryPolicy } from '../../domain/connection-settings.ts';
import { ApiError } from '../../domain/errors.ts';
import { type BusinessAccountId, type GraphUserId, isGraphId, type PhoneNumberId } from '../../domain/ids.ts';
import { isPhoneNumber } from '../../domain/messaging-address.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { Log, Pauses } from '../../domain/ports.ts';
import { malformed, tooLarge } from '../../http/classify-failure.ts';
import { type HttpAnswer, type HttpClient, jsonBody, readText } from '../../http/http-client.ts';
import { maskBareNumbers } from '../../http/mask-numbers.ts';
import type { Redact } from '../../http/redact.ts';
import { withRetriesTold } from '../../http/retry.ts';
import { graphFailure } from './read-failure.ts';

/** One configured messaging interface of the graph (area A). */
export interface GraphConnection {
  /** Without a trailing slash and without a version. */
  readonly url: string;
  /** `v<major>.<minor>` (requirement A9). */
  readonly version: string;
  readonly accessToken: string;
  /** How the token is shown (requirement A10). */
  readonly tokenIn: 'header' | 'query';
  /** Each is wanted by the operations that name it. */
  readonly businessAccountId: BusinessAccountId | undefined;
  readonly phoneNumberId: PhoneNumberId | undefined;
  readonly userId: GraphUserId | undefined;
  /** Proves each request beside the token when it is known (`appsecret_proof`). */
  readonly appSecret: string | undefined;
  readonly http: HttpClient;
  readonly pauses: Pauses;
  readonly redact: Redact;
  /** Told of each pause before another try, for a person waits meanwhile. */
  readonly log?: Log;
  readonly retry: RetryPolicy;
}

/** An identifier in an answer: text, or a number where it is small enough to be exact. */
export const graphIdText = z
  .union([z.string(), z.number().int().transform(String)])
  .refine(isGraphId, 'an identifier of digits');

export interface GraphRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** What stands behind the version, without a slash before it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Telephone numbers that it names: no failure repeats them, in whatever spelling. */
  readonly numbers?: readonly string[];
}

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/**
 * One request and the text of its successful answer. The token goes as a bearer or in the query as configured
 * (requirement A10), with a proof of the app secret where that is known. Throws `ApiError` for any other answer, and for
 * one that holds an error whatever its status. Never repeats by itself.
 */
export async function callGraph(graph: GraphConnection, request: GraphRequest): Promise<string> {
  const { type, text: body } = jsonBody(request.body);
  const answer = await graph.http.send({
    method: request.method,
    url: urlOf(graph, request),
    headers: { ...(graph.tokenIn === 'header' ? { authorization: `Bearer ${graph.accessToken}` } : {}), ...type },
    body,
  });
  const text = await readBody(answer, request.method);
  const failure = graphFailure(answer, text, { hide: (said) => hide(graph, request, said), redact: graph.redact });
  if (failure) throw failure;
  return text;
}

function urlOf(graph: GraphConnection, { path, query = {} }: GraphRequest): string {
  const url = new URL(`${graph.url}/${graph.version}/${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  if (graph.tokenIn === 'query') url.searchParams.set('access_token', graph.accessToken);
  if (graph.appSecret !== undefined) url.searchParams.set('appsecret_proof', proofOf(graph, graph.appSecret));
  return url.href;
}

/** Neither a secret nor a whole telephone number: a refusal may quote both. The id that was asked for is there to be read. */
function hide({ redact }: GraphConnection, { path, numbers = [] }: GraphRequest, said: string): string {
  const ids = path.split('/');
  return maskBareNumbers(redact(said), numbers, (digits) => ids.includes(digits) && !isPhoneNumber(`+${digits}`));
}

/** Hex HMAC-SHA256 of the token by the app secret: a token that was stolen alone is worth nothing. */
function proofOf({ accessToken, redact }: GraphConnection, appSecret: string): string {
  const proof = createHmac('sha256', appSecret).update(accessToken).digest('hex');
  redact.learn(proof);
  return proof;
}

async function readBody(answer: HttpAnswer, method: GraphRequest['method']): Promise<string> {
  try {
    return await readText(answer, ANSWER_BYTES_MAX);
  } catch (error) {
    // Once the status said that a write was taken, a body that breaks off changes nothing.
    const taken = method !== 'GET' && answer.status >= 200 && answer.status < 300;
    if (taken && error instanceof ApiError) return '';
    throw error;
  }
}

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
