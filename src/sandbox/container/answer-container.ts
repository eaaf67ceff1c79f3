import { unreachable } from '../../domain/errors.ts';
import { basicOf, bearerOf, type ContainerRoute, isJsonObject, type ReadRequest } from '../read-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { Service } from '../service.ts';
import { passwordProblem } from './container.ts';

const META = { version: 'v2.53.1', api_status: 'stable' };

export function answerContainer(service: Service, request: ReadRequest, { kind }: ContainerRoute): Reply {
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
function login({ container, strict }: Service, request: ReadRequest): Reply {
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

function createUser({ container }: Service, body: unknown): Reply {
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
