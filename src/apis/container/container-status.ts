import { parseAsWritten } from '../../domain/parse-json.ts';
import { withRetriesTold } from '../../http/retry.ts';
import { callContainer } from './call-container.ts';
import type { ContainerConnection } from './container-connection.ts';
import type { ContainerLogin } from './log-in.ts';
import type { ContainerSession } from './session.ts';

export interface ContainerStatus {
  readonly login: ContainerLogin;
  /** The container's answer: JSON as it came. An answer that is not JSON, or nested too deep, is its text. */
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
  const said = parseAsWritten(text);
  const isShown = said !== undefined && !isDeeperThan(DEPTH_MAX, said);
  return { login: await session.login(), health: isShown ? said : container.redact(text) };
}

/** Deeper is nothing that a container says of itself, and further than code that follows it can go. */
const DEPTH_MAX = 100;

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner));
}
