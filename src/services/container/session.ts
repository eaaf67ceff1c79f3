import * as z from 'zod';
import { ApiError, InvariantError } from '../../domain/errors.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { Clock } from '../../domain/ports.ts';
import { classifyStatus, malformed } from '../http/classify-failure.ts';
import { basicAuthorization, isSuccess, jsonBody, readText } from '../http/http-client.ts';
import type { Redact } from '../http/redact.ts';
import { type Connection, retryAfterMs } from '../http/retry.ts';
import { DETAILS_MAX, moreDetails, SENTENCE_LENGTH_MAX, tellable, tellableWord } from '../http/tellable.ts';
import { keepToken, TOKEN } from '../http/token-use.ts';

export interface ContainerConnection extends Connection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** `Authorization` gets `Bearer <token>`. Any other header gets only the token (requirement D3). */
  readonly tokenHeader: string;
  readonly clock: Clock;
}

const errorsShape = z.object({
  errors: z
    .array(
      z.object({
        code: z.number().optional().catch(undefined),
        title: z.string().optional().catch(undefined),
        details: z.string().optional().catch(undefined),
      }),
    )
    .min(1),
});

export function containerFailure(
  answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  text: string,
  redact: Redact,
  nextStep: string | undefined,
): ApiError {
  const parsed = errorsShape.safeParse(parseJson(text));
  const errors = parsed.success ? parsed.data.errors : [];
  const details = errors.slice(0, DETAILS_MAX).map(({ code, title, details }) => ({
    message: tellable([title, details].filter(Boolean).join(': '), redact, SENTENCE_LENGTH_MAX),
    ...(code === undefined ? {} : { code: String(code) }),
  }));
  const sentences = details.map(({ message, code }) => [code, message].filter(Boolean).join(' '));
  const said = [...sentences, ...moreDetails(errors.length)].join('; ');
  return new ApiError(`The container answered HTTP ${answer.status}${said && `: ${said.replace(/\.$/, '')}`}.`, {
    ...classifyStatus(answer.status),
    httpStatus: answer.status,
    status: answer.status === 401 ? 'UNAUTHENTICATED' : (details[0]?.code ?? `HTTP_${answer.status}`),
    details,
    retryAfterMs: retryAfterMs(answer.headers),
    nextStep,
  });
}

export interface ContainerLogin {
  /** Secret: use only in requests. */
  readonly token: string;
  readonly expiresAtMs: number;
  readonly version: string | undefined;
  readonly apiStatus: string | undefined;
}

const ANSWER_BYTES_MAX = 256 * 1024;

const answerShape = z.object({
  users: z.array(z.object({ token: z.string().regex(TOKEN), expires_after: z.string() })).min(1),
  meta: z.object({ version: z.string().optional(), api_status: z.string().optional() }).catch({}),
});

/** Never retries (requirement D1). The container requires `newPassword` at the first login. Throws `ApiError`. */
export async function logIn(container: ContainerConnection, newPassword?: string): Promise<ContainerLogin> {
  const { url, http, redact } = container;
  if (newPassword !== undefined) {
    if (lackedByPassword(newPassword).length > 0)
      throw new InvariantError('The new password is invalid. No request was sent.');
    redact.learn(newPassword);
  }
  // `new_password` comes from the public API, because the specification shows no body.
  const { type, text: body } = jsonBody(newPassword === undefined ? undefined : { new_password: newPassword });
  const answer = await http.send({
    method: 'POST',
    url: `${url}/v1/users/login`,
    headers: { ...basicAuthorization(container), ...type },
    body,
  });
  const text = await readText(answer, ANSWER_BYTES_MAX);
  if (!isSuccess(answer)) {
    throw containerFailure(answer, text, redact, nextStepFor(answer.status, newPassword));
  }
  const parsed = answerShape.safeParse(parseJson(text));
  const users = parsed.data?.users ?? [];
  const [user] = users;
  const expiresAtMs = user && parseExpiry(user.expires_after);
  if (!user || expiresAtMs === undefined) {
    const expected =
      'users[0].token of visible ASCII characters and users[0].expires_after such as 2021-09-14 15:29:26+00:00';
    throw malformed('MALFORMED', `The answer to the login is invalid: expected JSON with ${expected}`, false);
  }
  // The redaction keeps only the newest tokens, so learn the token in use last.
  for (const { token } of users.toReversed()) redact.learn(token, 'container_token');
  const { version, api_status: apiStatus } = parsed.data?.meta ?? {};
  const words = { version: tellableWord(version, redact), apiStatus: tellableWord(apiStatus, redact) };
  return { token: user.token, expiresAtMs, ...words };
}

function nextStepFor(status: number, newPassword: string | undefined): string | undefined {
  if (status === 401 || status === 403) return 'Check CONTAINER_USERNAME and CONTAINER_PASSWORD.';
  if (status >= 300 && status < 400)
    return 'Set CONTAINER_URL to the final address. The container redirects, but pacekeeper sends the password only to CONTAINER_URL.';
  if (status === 404) return 'Check CONTAINER_URL. Write the address without a version.';
  if (status !== 400) return undefined;
  return newPassword === undefined
    ? 'A first login must set a new password. Run pacekeeper container login --new-password-from NAME. NAME is an environment variable or a file.'
    : 'If this is the first login, choose another password. Otherwise, omit --new-password-from.';
}

/** Reads text such as `2021-09-14 15:29:26+00:00`, by default in UTC. Returns milliseconds since 1970. */
export function parseExpiry(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(Z|[+-]\d\d:?\d\d)?$/.exec(text.trim());
  if (!match) return undefined;
  const [, day, time, offset = 'Z'] = match;
  if (day === undefined || parseCivilDate(day) === undefined) return undefined;
  const ms = Date.parse(`${day}T${time}${offset.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(ms) ? undefined : ms;
}

const LENGTH_MIN = 8;
const LENGTH_MAX = 64;

/** Returns what the password lacks, by the rules of the public API. */
export function lackedByPassword(password: string): string[] {
  const parts: readonly (readonly [RegExp, string])[] = [
    [/\d/, 'a digit'],
    [/[A-Z]/, 'a capital letter'],
    [/[a-z]/, 'a small letter'],
    [/[^A-Za-z0-9\s]/, 'a special character'],
  ];
  const length = password.length >= LENGTH_MIN && password.length <= LENGTH_MAX;
  return [
    ...(length ? [] : [`${LENGTH_MIN} to ${LENGTH_MAX} characters`]),
    ...parts.flatMap(([pattern, name]) => (pattern.test(password) ? [] : [name])),
  ];
}

export type ContainerSession = ReturnType<typeof openSession>;

/** Keeps the token between commands. */
export interface KeptLogin {
  readonly read: () => ContainerLogin | undefined;
  readonly write: (login: ContainerLogin) => void;
}

/** Without `kept`, keeps the token only in memory (requirement D2). */
export function openSession(container: ContainerConnection, kept?: KeptLogin) {
  const { clock } = container;
  const livesMs = (login: ContainerLogin) => login.expiresAtMs - clock.now();
  const earlier = kept?.read();
  return keepToken(
    () => clock.now(),
    async () => {
      const login = await logIn(container);
      kept?.write(login);
      return { login, livesMs: livesMs(login) };
    },
    earlier && { login: earlier, livesMs: livesMs(earlier) },
  );
}
