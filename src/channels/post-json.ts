import { ApiError } from '../domain/errors.ts';
import { cutText } from '../domain/outside-text.ts';
import { withoutFullStop } from '../domain/wording.ts';
import { type Classification, classifyStatus } from '../services/http/classify-failure.ts';
import { type HttpClient, isSuccess, readText } from '../services/http/http-client.ts';
import type { Redact } from '../services/http/redact.ts';
import { retryAfterMs } from '../services/http/retry.ts';
import { type ChannelWork, type CodeMeaning, type OutgoingAlert, type SentAlert, unusableAddress } from './channel.ts';
import { checkMedia } from './check-media.ts';
import type { PostedArea, PostedConnection } from './posted-channel.ts';

export interface PostConnection {
  readonly http: HttpClient;
  readonly redact: Redact;
}

/** How alerts go out at one interface. */
export interface Sending<Area extends PostedArea> {
  readonly textLengthMax: number;
  /** True if the service fetches a picture from its address. */
  readonly fetchesPictures?: true;
  /** Beside HTTP status 401, 403 and 404. If undefined, 410: the address no longer exists. */
  settingsCanFix?(status: number): boolean;
  /** `address` is that of the recipient. Throws `ApiError`: with outcome `unknown`, the alert may have arrived. */
  send(alert: OutgoingAlert, address: string, connection: PostedConnection<Area>): Promise<SentAlert>;
  /** If undefined, only a message can check the address. */
  ask?(connection: PostedConnection<Area>): ReturnType<ChannelWork<PostedConnection<Area>>['check']['ask']>;
}

interface Named {
  readonly name: string;
  /** The setting that has the addresses, such as `slack.webhooks`. */
  readonly place: string;
  readonly variables: string;
}

const GONE = 410;

export function postedWork<Area extends PostedArea>(
  { name, place, variables }: Named,
  { textLengthMax, fetchesPictures, send, ask, settingsCanFix = (status) => status === GONE }: Sending<Area>,
): ChannelWork<PostedConnection<Area>> {
  return {
    textLengthMax,
    explainCode: () => undefined,
    settingsCanFix,
    open: (connection) => ({
      account: undefined,
      sender: undefined,
      repeatsInDoubt: true,
      ...(fetchesPictures && { pictures: { check: (url) => checkMedia(connection, url) } }),
      async send(alert) {
        const address = connection.addressOf(alert.recipient);
        if (address === undefined) throw unusableAddress(`a name from ${place}`);
        return send(alert, address, connection);
      },
    }),
    check: {
      isRare: true,
      expected: 'an address that takes alerts',
      withoutIt: `${variables}, if alerts should go there`,
      nextStep: `Set the names under "${name}" in docs/configuration.md.`,
      ask: ask ?? (async () => 'only a message can check it: pacekeeper alerts test'),
    },
  };
}

export interface Post {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The interface in words, such as "Slack". */
  readonly service: string;
  /** Explains an answer. Undefined for the usual meaning of the HTTP status. */
  readonly judge?: (status: number, text: string) => Partial<Classification & CodeMeaning & Waiting> | undefined;
  /** Stands in each answer of a service that took the alert. A proxy's page with status 200 lacks it. */
  readonly proof?: RegExp;
  /** Next step if the address or its credentials may be wrong. */
  readonly renew?: string;
}

interface Waiting {
  /** Used if the answer has no `Retry-After`. */
  readonly retryAfterMs: number | undefined;
}

/** An endless answer is not read to its end. */
const ANSWER_BYTES_MAX = 16 * 1024;
const WORDS_LENGTH_MAX = 200;

/** Throws `ApiError`: with outcome `unknown`, the alert may have arrived. Errors never have the path of the address. */
export async function postJson(
  { http, redact }: PostConnection,
  { url, headers = {}, body, service, judge, proof, renew }: Post,
): Promise<SentAlert> {
  const answer = await http.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  // For most services, the status alone decides success. So a broken body counts as empty.
  const text = await readText(answer, ANSWER_BYTES_MAX).catch((error: unknown) => {
    if (error instanceof ApiError) return '';
    throw error;
  });
  const words = redact(text).replace(/\s+/g, ' ').trim();
  if (isSuccess(answer) && (proof === undefined || proof.test(text)))
    return { providerId: undefined, status: undefined, response: cutText(words, WORDS_LENGTH_MAX) };
  const { status } = answer;
  const known = judge?.(status, text) ?? usualMeaning(status);
  const said = words === '' ? '' : `: ${withoutFullStop(cutText(words, WORDS_LENGTH_MAX))}`;
  const meaning = known.meaning === undefined ? '' : ` ${known.meaning}`;
  throw new ApiError(`${service} answered HTTP ${status}${said}.${meaning}`, {
    ...classifyStatus(status),
    ...known,
    httpStatus: status,
    status: String(status),
    retryAfterMs: retryAfterMs(answer.headers) ?? known.retryAfterMs,
    nextStep: known.nextStep ?? (status < 400 || [401, 403, 404, GONE].includes(status) ? renew : undefined),
  });
}

function usualMeaning(status: number): Partial<CodeMeaning & Waiting> {
  if (status < 300) return { meaning: 'The answer does not say that the alert was taken.' };
  return status < 400 ? { meaning: 'Redirects are not followed.' } : {};
}

export function bearer({ token }: { readonly token: string | undefined }): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
