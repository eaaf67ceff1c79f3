import { type AuthClient, GoogleAuth, gaxios, gcpMetadata, JWT } from 'google-auth-library';
import * as z from 'zod';
import { ADS_SCOPE, type AdsCredentials } from '../../domain/connection-settings.ts';
import { ApiError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { Clock } from '../../domain/ports.ts';
import type { HttpRequest } from '../http/http-client.ts';
import type { Redact } from '../http/redact.ts';
import { SENTENCE_LENGTH_MAX, tellable } from '../http/tellable.ts';

type Credentials = Extract<AdsCredentials, { kind: 'service_account' | 'machine' }>;
export interface TokenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

type Send = (request: HttpRequest) => Promise<TokenAnswer>;
type Requests = Pick<gaxios.GaxiosOptions, 'adapter' | 'retryConfig'>;

/** The library always requests this address, so our code replaces it with `tokenUrl`. */
const LIBRARY_TOKEN_URL = 'https://oauth2.googleapis.com/token';
const LIVES_S = 3600;

/** Logs in with google-auth-library. Throws `ApiError`. */
export async function libraryToken(
  credentials: Credentials,
  { clock, redact }: { readonly clock?: Clock; readonly redact: Redact },
  send: Send,
): Promise<TokenAnswer> {
  let last: TokenAnswer | undefined;
  const requests = requestsThrough(async (request) => {
    for (const secret of secretsOf(request.body)) redact.learn(secret, 'ads_token');
    const url = request.url === LIBRARY_TOKEN_URL ? credentials.tokenUrl : request.url;
    last = await send({ ...request, url });
    return last;
  });
  try {
    const client =
      credentials.kind === 'machine'
        ? await machine(requests)
        : account(credentials, clock?.now() ?? Date.now(), requests);
    const { token } = await client.getAccessToken();
    const { data } = z.object({ expires_in: z.number() }).safeParse(parseJson(last?.text ?? ''));
    const text = JSON.stringify({ access_token: token, expires_in: data?.expires_in ?? LIVES_S });
    return { status: 200, headers: {}, text };
  } catch (error) {
    const own = ownFailure(error, credentials.kind);
    if (own !== undefined) throw own;
    // The library refused this answer. Omit JSON, because the caller could read a token from it.
    if (last !== undefined) return { ...last, text: parseJson(last.text) === undefined ? last.text : '' };
    throw loginFailure(error, credentials.kind, redact);
  }
}

function account(
  { key, impersonatedEmail, tokenUrl }: Extract<Credentials, { kind: 'service_account' }>,
  nowMs: number,
  requests: Requests,
): AuthClient {
  const iat = Math.floor(nowMs / 1000);
  return new JWT({
    email: key.clientEmail,
    key: key.privateKey,
    scopes: [ADS_SCOPE],
    ...(impersonatedEmail === undefined ? {} : { subject: impersonatedEmail }),
    // By default, the library uses its own address and clock.
    additionalClaims: { aud: tokenUrl, iat, exp: iat + LIVES_S },
    ...optionsWith(requests),
  });
}

/** Search order: the file that the environment names, gcloud's file, the metadata server. */
function machine(requests: Requests): Promise<AuthClient> {
  // The library calls the metadata server through this global instance.
  gaxios.instance.defaults = requests;
  // Skip the library's check that the server exists, because the token request is proof enough.
  gcpMetadata.setGCPResidency(true);
  // With any project id, the library does not search for a project.
  return new GoogleAuth({ scopes: [ADS_SCOPE], projectId: 'unused', clientOptions: optionsWith(requests) }).getClient();
}

const optionsWith = (requests: Requests) => ({ transporterOptions: requests });

/** The library must not retry, because our own retries repeat the whole login. */
function requestsThrough(send: Send): Requests {
  return {
    retryConfig: { shouldRetry: () => false },
    async adapter<Data>(options: gaxios.GaxiosOptionsPrepared) {
      const { url, method = 'GET', headers, body } = options;
      const form = body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
      const sent = { ...form, ...Object.fromEntries(headers) };
      const text = body === undefined || body === null ? undefined : String(body);
      const answer = await send({
        method: method === 'POST' ? 'POST' : 'GET',
        url: url.href,
        headers: sent,
        body: text,
      });
      const response = new Response(null, { status: answer.status, headers: answer.headers });
      const data = (options.responseType === 'text' ? answer.text : parseJson(answer.text)) as Data;
      return Object.assign(response, { config: options, data });
    },
  };
}

const SECRET_FIELDS = ['assertion', 'client_secret', 'refresh_token', 'subject_token'];

function secretsOf(body: string | undefined): string[] {
  const form = new URLSearchParams(body);
  return SECRET_FIELDS.flatMap((name) => form.get(name) ?? []);
}

function ownFailure(error: unknown, kind: Credentials['kind']): ApiError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof ApiError)) continue;
    if (kind !== 'machine' || cause.httpStatus !== undefined) return cause;
    return new ApiError(cause.message, { ...cause, nextStep: NO_IDENTITY, cause });
  }
  return undefined;
}

/** For failures before any request, such as a damaged key file. */
function loginFailure(error: unknown, kind: Credentials['kind'], redact: Redact): unknown {
  if (!(error instanceof Error)) return error;
  return new ApiError(`The login failed: ${tellable(error.message, redact, SENTENCE_LENGTH_MAX)}`, {
    status: 'UNAUTHENTICATED',
    outcome: 'not_processed',
    transient: false,
    nextStep: kind === 'machine' ? NO_IDENTITY : 'Check ADS_SERVICE_ACCOUNT_FILE.',
    cause: error,
  });
}

const NO_IDENTITY =
  'ads.machine_identity needs GOOGLE_APPLICATION_CREDENTIALS, a login of gcloud, or a machine with a service account. ' +
  'Otherwise, set ADS_SERVICE_ACCOUNT_FILE.';
