import * as z from 'zod';
import type { AdsCredentials } from '../../domain/connection-settings.ts';
import { ApiError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import { classifyStatus } from '../../http/classify-failure.ts';
import { readText } from '../../http/http-client.ts';
import type { Connection } from '../../http/retry.ts';
import { SENTENCE_LENGTH_MAX, tellable } from '../../http/tellable.ts';
import { keepToken, TOKEN } from '../../http/token-use.ts';

/** Provides bearer tokens (requirement B16). */
export interface TokenSource {
  token(): Promise<string>;
  /** Call it after a 401 for the token `refused`. Returns whether another token is available. */
  renew(refused: string): Promise<boolean>;
}

const ANSWER_BYTES_MAX = 64 * 1024;

const tokenAnswer = z.object({
  access_token: z.string().regex(TOKEN),
  expires_in: z.number().positive().default(3600),
});

export function createTokenSource(
  credentials: AdsCredentials,
  deps: Pick<Connection, 'http' | 'pauses' | 'redact'>,
): TokenSource {
  if (credentials.kind === 'access_token') {
    return { token: async () => credentials.accessToken, renew: async () => false };
  }
  const kept = keepToken(
    () => deps.pauses.elapsedMs(),
    async () => {
      const fetched = await exchange(credentials, deps);
      deps.redact.learn(fetched.login.token, 'ads_token');
      return fetched;
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

/** Never retries: the caller repeats this together with its own request. */
async function exchange(
  credentials: Extract<AdsCredentials, { kind: 'refresh_token' }>,
  { http, redact }: Pick<Connection, 'http' | 'redact'>,
): Promise<{ login: { token: string }; livesMs: number }> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    refresh_token: credentials.refreshToken,
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await http.send({ method: 'POST', url: credentials.tokenUrl, headers, body: form.toString() });
  const text = await readText(answer, ANSWER_BYTES_MAX);
  const parsed = answer.status === 200 ? tokenAnswer.safeParse(parseJson(text)) : undefined;
  if (parsed?.success) return { login: { token: parsed.data.access_token }, livesMs: parsed.data.expires_in * 1000 };
  const reason = z.object({ error: z.string(), error_description: z.string().optional() }).safeParse(parseJson(text));
  const page = /^\s*</.test(text) ? 'an HTML page' : 'no token in the answer';
  const words = reason.success ? `${reason.data.error} ${reason.data.error_description ?? ''}`.trim() : page;
  const refused = answer.status >= 400 && answer.status < 500;
  const said = withoutFullStop(tellable(words, redact, SENTENCE_LENGTH_MAX));
  throw new ApiError(`The token endpoint answered HTTP ${answer.status}: ${said}.`, {
    transient: answer.status !== 200 && classifyStatus(answer.status).transient,
    outcome: 'not_processed',
    httpStatus: answer.status,
    status: refused ? 'UNAUTHENTICATED' : 'TOKEN_ENDPOINT',
    nextStep: refused
      ? 'Check ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN. Replace a revoked refresh token.'
      : answer.status < 400
        ? 'Check ADS_TOKEN_URL. Its server issues no tokens.'
        : undefined,
  });
}
