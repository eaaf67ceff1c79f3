import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { onTestFinished } from 'vitest';
import { type ServerOptions, startServer } from '../../src/dashboard/server/start-server.ts';
import type { Inbox } from '../../src/storage/inbox/inbox.ts';
import { keepTogether } from '../../src/storage/inbox/keep-together.ts';
import { openInbox } from '../../src/storage/inbox/open-inbox.ts';
import { fakeClock } from '../support/fake-time.ts';
import { tempDir } from '../support/temp-dir.ts';
import { toldLog } from '../support/told-log.ts';
import { NOON } from '../support/world.ts';

export const SECRETS = {
  GRAPH_APP_SECRET: 'an-app-secret',
  GRAPH_VERIFY_TOKEN: 'a-verify-token',
  MESSAGES_PASSWORD: 'an-auth-token',
};

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly allow: string | null;
  readonly body: string;
}

export interface WebhookWorld {
  readonly address: string;
  readonly inbox: Inbox;
  readonly log: readonly string[];
  /** How often the server said that something new was kept. */
  readonly told: { times: number };
  send(path: string, init?: RequestInit): Promise<Answer>;
  /** A body of area A, signed by the app secret unless a signature is given. */
  graph(body: string, signature?: string): Promise<Answer>;
  /** A form of area C, signed as the provider's own package signs unless a signature is given. */
  messages(fields: Readonly<Record<string, string>>, signature?: string): Promise<Answer>;
  /** Bytes on a connection of its own; what comes back until the server ends it. */
  raw(bytes: string): Promise<string>;
}

/** A server of the test's own on a free port, with an inbox on disk. */
export async function webhookWorld(options: Partial<ServerOptions> = {}): Promise<WebhookWorld> {
  const inbox = openInbox(join(tempDir(), 'inbox.sqlite'), fakeClock(NOON));
  onTestFinished(() => inbox.close());
  const log: string[] = [];
  const told = { times: 0 };
  const onKept = () => {
    told.times += 1;
  };
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    secrets: SECRETS,
    keep: keepTogether(inbox, onKept),
    countWaiting: () => inbox.countWaiting(),
    log: toldLog({ info: (line) => void log.push(line), warn: (line) => void log.push(line) }),
    ...options,
  });
  onTestFinished(() => server.close());
  const { address } = server;
  const send: WebhookWorld['send'] = async (path, init) => {
    const answer = await fetch(address + path, init);
    const type = answer.headers.get('content-type');
    const allow = answer.headers.get('allow');
    return { status: answer.status, type, allow, body: await answer.text() };
  };
  return {
    address,
    inbox,
    log,
    told,
    send,
    graph: (body, signature = graphSignature(body)) =>
      send('/webhooks/graph', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
      }),
    messages: (fields, signature = messagesSignature(`${options.publicUrl ?? address}/webhooks/messages`, fields)) =>
      send('/webhooks/messages', {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'x-twilio-signature': signature },
      }),
    raw: async (bytes) => {
      const { hostname, port } = new URL(address);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(bytes);
      return text(socket);
    },
  };
}

export function graphSignature(body: string | Uint8Array, secret = SECRETS.GRAPH_APP_SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

export function messagesSignature(
  url: string,
  fields: Readonly<Record<string, string | string[]>>,
  secret = SECRETS.MESSAGES_PASSWORD,
): string {
  return getExpectedTwilioSignature(secret, url, fields);
}

export const INBOUND = {
  MessageSid: 'SM0123456789abcdef0123456789abcdef',
  SmsStatus: 'received',
  From: 'whatsapp:+4915112345678',
  To: 'whatsapp:+15550100001',
  Body: 'Yes 7K3Q',
  NumMedia: '0',
};

export const DELIVERED = {
  MessageSid: 'SMfedcba9876543210fedcba9876543210',
  MessageStatus: 'delivered',
  From: 'whatsapp:+15550100001',
  To: 'whatsapp:+4915112345678',
};

/** A change of area A's webhook, in the body that carries it. */
export function graphBody(value: object, field = 'messages', object = 'whatsapp_business_account'): string {
  return JSON.stringify({ object, entry: [{ id: '102290129340398', changes: [{ field, value }] }] });
}

export const METADATA = { display_phone_number: '15550100001', phone_number_id: '106540352242922' };

export const GRAPH_MESSAGE = {
  messaging_product: 'whatsapp',
  metadata: METADATA,
  contacts: [{ profile: { name: 'Änne' }, wa_id: '4915112345678' }],
  messages: [
    { from: '4915112345678', id: 'wamid.ONE', timestamp: '1800000000', type: 'text', text: { body: 'yes 7K3Q' } },
  ],
};

export function graphStatus(status: string, id = 'wamid.OURS'): object {
  return {
    messaging_product: 'whatsapp',
    metadata: METADATA,
    statuses: [{ id, status, timestamp: '1800000000', recipient_id: '4915112345678' }],
  };
}
