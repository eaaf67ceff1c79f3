import { ApiError } from '../domain/errors.ts';
import { cutText } from '../domain/outside-text.ts';
import { type Classification, classifyStatus } from '../services/http/classify-failure.ts';
import { type HttpClient, isSuccess, readText } from '../services/http/http-client.ts';
import type { Redact } from '../services/http/redact.ts';
import { retryAfterMs } from '../services/http/retry.ts';
import type { CodeMeaning, SentAlert } from './channel.ts';

/** For interfaces that take one JSON document per alert, at an address that is a secret. */
export interface PostConnection {
  readonly http: HttpClient;
  readonly redact: Redact;
}

export interface Post {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The interface in words, such as "Slack". */
  readonly service: string;
  /** Explains an answer. Undefined for the usual meaning of the HTTP status. */
  readonly judge?: (status: number, text: string) => Partial<Classification & CodeMeaning> | undefined;
}

/** An endless answer is not read to its end. */
const ANSWER_BYTES_MAX = 16 * 1024;
const WORDS_LENGTH_MAX = 200;

/** Throws `ApiError`: with outcome `unknown`, the alert may have arrived. Errors never have the path of the address. */
export async function postJson(
  { http, redact }: PostConnection,
  { url, headers = {}, body, service, judge }: Post,
): Promise<SentAlert> {
  const answer = await http.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  // The status alone decides success, so a broken body counts as empty.
  const text = await readText(answer, ANSWER_BYTES_MAX).catch((error: unknown) => {
    if (error instanceof ApiError) return '';
    throw error;
  });
  const words = redact(text).replace(/\s+/g, ' ').trim();
  if (isSuccess(answer))
    return { providerId: undefined, status: undefined, response: cutText(words, WORDS_LENGTH_MAX) };
  const { status } = answer;
  const known = judge?.(status, text) ?? {};
  const said = words === '' ? '' : `: ${cutText(words, WORDS_LENGTH_MAX)}`;
  const meaning = known.meaning === undefined ? '' : ` ${known.meaning}`;
  throw new ApiError(`${service} answered HTTP ${status}${said}.${meaning}`, {
    ...classifyStatus(status),
    ...known,
    httpStatus: status,
    status: `HTTP_${status}`,
    retryAfterMs: retryAfterMs(answer.headers),
    nextStep: known.nextStep,
  });
}
