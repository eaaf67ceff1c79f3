import { unreachable } from '../../domain/errors.ts';
import type { ReadRequest } from '../read-request.ts';
import type { Reply } from '../reply.ts';
import type { Route } from '../route-request.ts';
import type { Service } from '../service.ts';
import { createMessage } from './create-message.ts';
import { fetchMessage, listMessages } from './list-messages.ts';
import { messageError } from './message-resource.ts';

type MessageRoute = Extract<Route, { readonly kind: 'message' | 'message_list' | 'message_fetch' }>;

/** The answer to a request of area C. The specification shows no way to ask for messages, so that strict has none. */
export function answerMessages(service: Service, request: ReadRequest, route: MessageRoute): Reply {
  const { headers, path } = request.recorded;
  const notFound = () => messageError(404, 20404, `The requested resource ${path} was not found.`);
  if (service.strict && route.kind !== 'message') return notFound();
  const { accountId, username, password } = service.credentials.messages;
  const [, encoded = ''] = /^Basic +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (Buffer.from(encoded, 'base64').toString('utf8') !== `${username}:${password}`) {
    return messageError(401, 20003, "Authenticate: expected Basic credentials of the sandbox's messaging account.");
  }
  if (route.account !== accountId) return notFound();
  switch (route.kind) {
    case 'message':
      return createMessage(service, headers['content-type'] ?? '', request.text);
    case 'message_list':
      return listMessages(service, new URL(path, 'http://sandbox').searchParams);
    case 'message_fetch':
      return fetchMessage(service, route.sid);
    default:
      return unreachable(route);
  }
}
