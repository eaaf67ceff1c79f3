import * as z from 'zod';
import { ADS_SCOPE, type AdsCredentials } from '../../domain/connection-settings.ts';
import { ApiError, unreachable } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { Clock } from '../../domain/ports.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import { classifyStatus } from '../http/classify-failure.ts';
import { type HttpRequest, readText } from '../http/http-client.ts';
import type { Redact } from '../http/redact.ts';
import type { Connection } from '../http/retry.ts';
import { SENTENCE_LENGTH_MAX, tellable } from '../http/tellable.ts';
import { keepToken, TOKEN } from '../http/token-use.ts';
import type { TokenAnswer } from './library-token.ts';

export interface TokenSource {
  token(): Promise<string>;
  /** Call after a 401 for the token `refused`. False means that no other token is available. */
  renew(refused: string): Promise<boolean>;
}

const ANSWER_BYTES_MAX = 64 * 1024;

const tokenAnswer = z.object({
  access_token: z.string().regex(TOKEN),
  expires_in: z.number().positive().default(3600),
});

interface Deps extends Pick<Connection, 'http' | 'pauses' | 'redact'> {
  readonly clock?: Clock;
}
type Fetched = Exclude<AdsCredentials, { kind: 'access_token' }>;

export function createTokenSource(credentials: AdsCredentials, deps: Deps): TokenSource {
  if (credentials.kind === 'access_token') {
    return { token: async () => credentials.accessToken, renew: async () => false };
  }
  const kept = keepToken(
    () => deps.pauses.elapsedMs(),
    async () => {
      const { access_token: token, expires_in: livesS } = await exchange(credentials, deps);
      deps.redact.learn(token, 'ads_token');
      return { login: { token }, livesMs: livesS * 1000 };
    },
  );
  return {
    token: async () => (await kept.login()).token,
    renew: async (refused) => {
      await kept.renew(refused);
      return true;
    },
  };
}

/** Does not retry, because the caller repeats the login together with its own request. */
async function exchange(credentials: Fetched, deps: Deps): Promise<z.output<typeof tokenAnswer>> {
  const send = (request: HttpRequest) => askTokenEndpoint(request, credentials, deps);
  const answer =
    credentials.kind === 'refresh_token'
      ? await send(refreshRequest(credentials))
      : // Import the library only here, because it is large and few logins need it.
        await (await import('./library-token.ts')).libraryToken(credentials, deps, send);
  const parsed = tokenAnswer.safeParse(parseJson(answer.text));
  if (parsed.success) return parsed.data;
  throw failureOf(answer, credentials, deps.redact);
}

function refreshRequest(credentials: Extract<AdsCredentials, { kind: 'refresh_token' }>): HttpRequest {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    refresh_token: credentials.refreshToken,
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', url: credentials.tokenUrl, headers, body: form.toString() };
}

async function askTokenEndpoint(request: HttpRequest, credentials: Fetched, deps: Deps): Promise<TokenAnswer> {
  const { status, headers, ...answer } = await deps.http.send(request);
  const text = await readText({ status, headers, ...answer }, ANSWER_BYTES_MAX);
  if (status === 200) return { status, headers, text };
  throw failureOf({ status, headers, text }, credentials, deps.redact);
}

function failureOf({ status, text }: TokenAnswer, credentials: Fetched, redact: Redact): ApiError {
  const reason = z.object({ error: z.string(), error_description: z.string().optional() }).safeParse(parseJson(text));
  const page = /^\s*</.test(text) ? 'an HTML page' : 'no token in the answer';
  const words = reason.success ? `${reason.data.error} ${reason.data.error_description ?? ''}`.trim() : page;
  const refused = status >= 400 && status < 500;
  const said = withoutFullStop(tellable(words, redact, SENTENCE_LENGTH_MAX));
  return new ApiError(`The token endpoint answered HTTP ${status}: ${said}.`, {
    transient: status !== 200 && classifyStatus(status).transient,
    outcome: 'not_processed',
    httpStatus: status,
    status: refused ? 'UNAUTHENTICATED' : 'TOKEN_ENDPOINT',
    nextStep: refused
      ? remedy(credentials, words)
      : status < 400
        ? 'Check ADS_TOKEN_URL. Its server may not issue tokens.'
        : undefined,
  });
}

function remedy(credentials: Fetched, words: string): string {
  switch (credentials.kind) {
    case 'refresh_token':
      return 'Check ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN. Replace a revoked refresh token.';
    case 'machine':
      return 'Check which identity this machine has, or set ADS_SERVICE_ACCOUNT_FILE.';
    case 'service_account': {
      const { clientEmail, file } = credentials.key;
      if (/\b(?:iat|exp)\b/.test(words)) return 'Synchronise the clock of this machine (timedatectl set-ntp true).';
      if (words.startsWith('unauthorized_client')) {
        return `Allow ${clientEmail} domain-wide delegation for the scope ${ADS_SCOPE}, or remove ads.impersonated_email.`;
      }
      return `The key may be expired, deleted or disabled. Create a new key for ${clientEmail}, and replace ${file}.`;
    }
    default:
      return unreachable(credentials);
  }
}
