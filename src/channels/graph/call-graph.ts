import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { type BusinessAccountId, type GraphUserId, isGraphId, type PhoneNumberId } from '../../domain/ids.ts';
import { isPhoneNumber } from '../../domain/messaging-address.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed, tooLarge } from '../../services/http/classify-failure.ts';
import { type HttpAnswer, isSuccess, jsonBody, readText } from '../../services/http/http-client.ts';
import { maskBareNumbers } from '../../services/http/mask-numbers.ts';
import { type Connection, withLoggedRetries } from '../../services/http/retry.ts';
import type { Template, Templates } from '../template.ts';
import { graphFailure } from './read-failure.ts';

export interface GraphConnection extends Connection {
  /** Without a trailing slash and without a version. */
  readonly url: string;
  /** Such as `v21.0` (requirement A9). */
  readonly version: string;
  readonly accessToken: string;
  readonly tokenIn: 'header' | 'query';
  readonly businessAccountId: BusinessAccountId | undefined;
  readonly phoneNumberId: PhoneNumberId | undefined;
  readonly userId: GraphUserId | undefined;
  /** If set, every request has an `appsecret_proof`. */
  readonly appSecret: string | undefined;
  readonly templates: Templates<NamedTemplate>;
  /** True if a change that awaits approval comes with buttons for YES and NO. */
  readonly buttons: boolean;
  /** When the phones of the sandbox wrote, in UTC. */
  readonly phonesWroteAt: string | undefined;
}

export interface NamedTemplate extends Template {
  readonly name: string;
  /** Such as `en` or `en_US`. */
  readonly language: string;
}

/** Accepts text, and JSON integers that are small enough to be exact. */
export const graphIdText = z
  .union([z.string(), z.number().int().transform(String)])
  .refine(isGraphId, 'an identifier of digits');

export interface GraphRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Phone numbers to hide in error messages. */
  readonly numbers?: readonly string[];
}

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Never retries (requirement A10). Throws `ApiError`, also for a 2xx answer that contains an error. */
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

/** Hides secrets and phone numbers. Ids of the path stay readable, unless an id could be a phone number. */
function hide({ redact }: GraphConnection, { path, numbers = [] }: GraphRequest, said: string): string {
  const ids = path.split('/');
  return maskBareNumbers(redact(said), numbers, (digits) => ids.includes(digits) && !isPhoneNumber(`+${digits}`));
}

/** The proof makes a stolen token useless without the app secret. */
function proofOf({ accessToken, redact }: GraphConnection, appSecret: string): string {
  const proof = createHmac('sha256', appSecret).update(accessToken).digest('hex');
  redact.learn(proof);
  return proof;
}

async function readBody(answer: HttpAnswer, method: GraphRequest['method']): Promise<string> {
  try {
    return await readText(answer, ANSWER_BYTES_MAX);
  } catch (error) {
    // The status already confirms the write, so a truncated body does not matter.
    if (method !== 'GET' && isSuccess(answer) && error instanceof ApiError) return '';
    throw error;
  }
}

const PAGES_MAX = 1_000;
/** The limit for all pages of a list together. */
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

/** Retries. Never requests the address in `next`, because it contains the token. */
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
    const text = await withLoggedRetries(graph, 'read', `The list of ${what}`, () =>
      callGraph(graph, { method: 'GET', path, query }),
    );
    bytes += Buffer.byteLength(text);
    if (bytes > LIST_BYTES_MAX) throw tooLarge(`The list of ${what}`, LIST_BYTES_MAX);
    const page = pageShape.safeParse(parseJson(text));
    if (!page.success) throw malformed('MALFORMED', `The list of ${what} is not the expected JSON`, false);
    items.push(...page.data.data);
    const { next, cursors } = page.data.paging ?? {};
    if (next === undefined) return items;
    after = cursors?.after ?? cursorOf(next);
    if (after === undefined || seen.has(after) || seen.size >= PAGES_MAX) {
      throw malformed('WRONG_ANSWER', `The list of ${what} has an invalid link to its next page`, false);
    }
    seen.add(after);
  }
}

function cursorOf(next: string): string | undefined {
  return URL.canParse(next) ? (new URL(next).searchParams.get('after') ?? undefined) : undefined;
}
