import type { MessagesConnection } from '../../../src/channels/messages/messages-connection.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { testClient } from '../../http/test-client.ts';

export const PASSWORD = 'pass & word+1!';
export const TO = 'whatsapp:+4915112345678';
export const FROM = 'whatsapp:+15550100001';
export const SID = 'SM0123456789abcdef0123456789ABCDEF';

/** A connection to a service that a test answers for. */
export function connectTo(url: string, changes: Partial<MessagesConnection> = {}): MessagesConnection {
  return {
    url,
    accountId: 'AC1',
    username: 'user',
    password: PASSWORD,
    from: FROM,
    media: 'refuse',
    templates: new Map(),
    phonesWroteAt: undefined,
    http: testClient(),
    redact: createRedact([PASSWORD]),
    ...changes,
  };
}

export function connectToSandbox({ url, credentials }: Sandbox): MessagesConnection {
  const { accountId, username, password, from } = credentials.messages;
  return connectTo(url, { accountId, username, password, from });
}
