import { randomUUID } from 'node:crypto';
import { unreachable } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { SandboxCredentials } from '../credentials.ts';
import { basicOf, bearerOf, type ContainerRoute, isJsonObject, type ReadRequest } from '../read-request.ts';
import { jsonReply, type Reply } from '../reply.ts';

interface ContainerService {
  readonly container: Container;
  readonly strict: boolean;
}

const META = { version: 'v2.53.1', api_status: 'stable' };

export function answerContainer(service: ContainerService, request: ReadRequest, { kind }: ContainerRoute): Reply {
  if (kind === 'container_login') return login(service, request);
  // The specification shows only the login, so `strict` refuses all other operations.
  if (service.strict) return refuse(404, 1006, 'Resource not found', 'No such operation.');
  const token = bearerOf(request);
  if (token === undefined || !service.container.isValid(token))
    return denied('The token is missing, wrong or expired.');
  switch (kind) {
    case 'container_users':
      return createUser(service, request.json);
    case 'container_health':
      return jsonReply(200, { health: { gateway_status: 'connected' }, meta: META });
    default:
      return unreachable(kind);
  }
}

/** Requirements D1 and D2. The first login must change the default password. */
function login({ container, strict }: ContainerService, request: ReadRequest): Reply {
  const { text, json } = request;
  const [username = '', ...rest] = basicOf(request).split(':');
  if (!container.isUser(username, rest.join(':'))) return denied('The user name or the password is wrong.');
  // The specification shows no way to change the default password.
  const chosen = strict || !isJsonObject(json) ? undefined : json.new_password;
  if (text.trim() !== '' && !isJsonObject(json)) {
    return refuse(400, 1010, 'Invalid body', 'Found an invalid body, expected a JSON object or no body.');
  }
  if (chosen === undefined && container.hasDefaultPassword(username)) {
    return refuse(400, 1008, 'Required parameter is missing', 'The first login must send new_password.');
  }
  if (chosen !== undefined) {
    const problem = passwordProblem(chosen);
    if (problem !== undefined) return refuse(400, 1009, 'Parameter value is not valid', `new_password: ${problem}.`);
    container.setPassword(username, String(chosen));
  }
  const { token, expiresAtMs } = container.issue();
  const expires_after = `${new Date(expiresAtMs).toISOString().slice(0, 19).replace('T', ' ')}+00:00`;
  return jsonReply(200, { users: [{ token, expires_after }], meta: META });
}

function createUser({ container }: ContainerService, body: unknown): Reply {
  const { username, password } = isJsonObject(body) ? body : {};
  if (typeof username !== 'string' || !/^[^:\s]{4,32}$/.test(username)) {
    const expected = 'username: expected 4 to 32 characters without blanks and colons.';
    return refuse(400, 1009, 'Parameter value is not valid', expected);
  }
  const problem = passwordProblem(password);
  if (problem !== undefined) return refuse(400, 1009, 'Parameter value is not valid', `password: ${problem}.`);
  if (container.exists(username)) return refuse(500, 1014, 'Internal error', `User ${username} already exists.`);
  container.setPassword(username, String(password));
  return jsonReply(201, { users: [{ username }], meta: META });
}

function denied(details: string): Reply {
  return refuse(401, 1005, 'Access denied', details);
}

function refuse(status: number, code: number, title: string, details: string): Reply {
  return jsonReply(status, { meta: META, errors: [{ code, title, details }] });
}

export const DEFAULT_PASSWORD = 'secret';
const TOKEN_LIFETIME_MS = 7 * 24 * 3_600_000;

export type Container = ReturnType<typeof createContainer>;

/** With `fresh`, the first user has the default password, which the first login must change. */
export function createContainer(clock: Clock, { username, password }: SandboxCredentials['container'], fresh: boolean) {
  const passwords = new Map([[username, fresh ? DEFAULT_PASSWORD : password]]);
  const expiryMs = new Map<string, number>();
  return {
    hasDefaultPassword: (name: string) => passwords.get(name) === DEFAULT_PASSWORD,
    isUser: (name: string, shown: string) => passwords.get(name) === shown,
    exists: (name: string) => passwords.has(name),
    setPassword(name: string, chosen: string): void {
      passwords.set(name, chosen);
    },
    issue() {
      const token = `sandbox-container-${randomUUID()}`;
      // The answer contains the time in whole seconds.
      const expiresAtMs = Math.floor((clock.now() + TOKEN_LIFETIME_MS) / 1000) * 1000;
      expiryMs.set(token, expiresAtMs);
      return { token, expiresAtMs };
    },
    isValid: (token: string) => clock.now() < (expiryMs.get(token) ?? Number.NEGATIVE_INFINITY),
  };
}

export function passwordProblem(password: unknown): string | undefined {
  const rules = [/^.{8,64}$/s, /\d/, /[A-Z]/, /[a-z]/, /[^A-Za-z0-9]/];
  if (typeof password === 'string' && rules.every((rule) => rule.test(password))) return undefined;
  return 'expected 8 to 64 characters with a digit, an upper case letter, a lower case letter and a special character';
}
