import { parseAsWritten } from '../../domain/parse-json.ts';
import { withRetriesTold } from '../../http/retry.ts';
import { callContainer } from './call-container.ts';
import type { ContainerConnection } from './container-connection.ts';
import type { ContainerLogin } from './log-in.ts';
import type { ContainerSession } from './session.ts';

export interface ContainerStatus {
  readonly login: ContainerLogin;
  /** What the container says of itself: JSON as it came, or its text. */
  readonly health: unknown;
}

/** How the container is, by its public health call with the session's token. Throws `ApiError`. */
export async function containerStatus(
  container: ContainerConnection,
  session: ContainerSession,
): Promise<ContainerStatus> {
  const text = await withRetriesTold(container, 'read', 'The container', () =>
    callContainer(container, session, { method: 'GET', path: 'health' }),
  );
  return { login: await session.login(), health: parseAsWritten(text) ?? container.redact(text) };
}
