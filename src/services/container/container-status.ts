import { parseAsWritten } from '../../domain/parse-json.ts';
import { offered } from '../http/classify-failure.ts';
import { isSuccess, jsonBody, readText } from '../http/http-client.ts';
import { withLoggedRetries } from '../http/retry.ts';
import { type ContainerConnection, type ContainerLogin, type ContainerSession, containerFailure } from './session.ts';

export interface ContainerStatus {
  readonly login: ContainerLogin;
  /** Parsed JSON. Invalid or too deeply nested JSON stays text. Undefined if the container does not offer it. */
  readonly health: unknown;
}

export async function containerStatus(
  container: ContainerConnection,
  session: ContainerSession,
): Promise<ContainerStatus> {
  const text = await offered(() =>
    withLoggedRetries(container, 'read', 'The container', () =>
      callContainer(container, session, { method: 'GET', path: 'health' }),
    ),
  );
  if (text === undefined) return { login: await session.login(), health: undefined };
  const said = parseAsWritten(text);
  const isShown = said !== undefined && !isDeeperThan(DEPTH_MAX, said);
  return { login: await session.login(), health: isShown ? said : container.redact(text) };
}

/** Deeper JSON could overflow the stack. */
const DEPTH_MAX = 100;

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner));
}

const ANSWER_BYTES_MAX = 1024 * 1024;

/** After a 401, logs in again once (requirement D3). Does not retry other failures. Throws `ApiError`. */
export async function callContainer(
  container: ContainerConnection,
  session: ContainerSession,
  request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown },
): Promise<string> {
  const { type, text: body } = jsonBody(request.body);
  let { token } = await session.login();
  for (let renewed = false; ; renewed = true) {
    const answer = await container.http.send({
      method: request.method,
      url: `${container.url}/v1/${request.path}`,
      headers: { ...tokenHeader(container, token), ...type },
      body,
    });
    const text = await readText(answer, ANSWER_BYTES_MAX);
    if (isSuccess(answer)) return text;
    if (answer.status !== 401) throw containerFailure(answer, text, container.redact, undefined);
    if (renewed) {
      const step = 'Check container.token_header. The login works, but the container rejects the token in this header.';
      throw containerFailure(answer, text, container.redact, step);
    }
    ({ token } = await session.renew(token));
  }
}

function tokenHeader({ tokenHeader }: ContainerConnection, token: string): Record<string, string> {
  const name = tokenHeader.toLowerCase();
  return { [name]: name === 'authorization' ? `Bearer ${token}` : token };
}
