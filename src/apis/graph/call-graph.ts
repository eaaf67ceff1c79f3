import { createHmac } from 'node:crypto';
import { ApiError } from '../../domain/errors.ts';
import { isPhoneNumber } from '../../domain/messaging-address.ts';
import { type HttpAnswer, readText } from '../../http/http-client.ts';
import { maskBareNumbers } from '../../http/mask-numbers.ts';
import type { GraphConnection } from './graph-connection.ts';
import { graphFailure } from './read-failure.ts';

export interface GraphRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** What stands behind the version, without a slash before it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
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
  const answer = await graph.http.send({
    method: request.method,
    url: urlOf(graph, request),
    headers: {
      ...(graph.tokenIn === 'header' ? { authorization: `Bearer ${graph.accessToken}` } : {}),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
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
