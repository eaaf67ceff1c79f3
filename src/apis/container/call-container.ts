import { readText } from '../../http/http-client.ts';
import type { ContainerConnection } from './container-connection.ts';
import { containerFailure } from './read-failure.ts';
import type { ContainerSession } from './session.ts';

const ANSWER_BYTES_MAX = 1024 * 1024;

/**
 * One request with the session's token and the text of its successful answer (requirement D3). A 401 is answered by one
 * new login. Throws `ApiError`. Never repeats by itself otherwise.
 */
export async function callContainer(
  container: ContainerConnection,
  session: ContainerSession,
  request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown },
): Promise<string> {
  let { token } = await session.login();
  for (let renewed = false; ; renewed = true) {
    const answer = await container.http.send({
      method: request.method,
      url: `${container.url}/v1/${request.path}`,
      headers: {
        ...tokenHeader(container, token),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    const text = await readText(answer, ANSWER_BYTES_MAX);
    if (answer.status >= 200 && answer.status < 300) return text;
    if (answer.status !== 401 || renewed) {
      const step =
        answer.status === 401 ? 'Check container.token_header: the token is taken, and not there.' : undefined;
      throw containerFailure(answer, text, container.redact, step);
    }
    ({ token } = await session.renew(token));
  }
}

/** How the token is shown: as a bearer in `Authorization`, bare in any other header. */
function tokenHeader({ tokenHeader }: ContainerConnection, token: string): Record<string, string> {
  const name = tokenHeader.toLowerCase();
  return { [name]: name === 'authorization' ? `Bearer ${token}` : token };
}
