import { createHmac } from 'node:crypto';
import pMap from 'p-map';
import { Pool } from 'undici';
import type { PhoneChannel } from '../../src/sandbox/phones.ts';

export const WEBHOOK_SECRETS = { graphApp: 'an-app-secret', graphVerify: 'a-verify-token', messages: 'an-auth-token' };

export interface WebhookTimes {
  readonly requestsPerSecond: number;
  /** Of single requests, milliseconds. */
  readonly medianMs: number;
  readonly p99Ms: number;
}

interface SignedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let sent = 0;

/** Sends as many webhooks, each with an id of its own and signed before the time begins. Throws when one is not taken. */
export async function sendWebhooks(
  url: string,
  channel: PhoneChannel,
  { requests, connections }: { readonly requests: number; readonly connections: number },
): Promise<WebhookTimes> {
  const signed = Array.from({ length: requests }, () => (channel === 'graph' ? graphRequest() : messagesRequest(url)));
  const pool = new Pool(url, { connections, pipelining: 1 });
  const latencies: number[] = [];
  try {
    const startedMs = performance.now();
    await pMap(
      signed,
      async (request) => {
        const sentMs = performance.now();
        const { statusCode, body } = await pool.request({ method: 'POST', ...request });
        await body.dump();
        if (statusCode !== 200) throw new Error(`A webhook was answered with ${statusCode}, expected 200.`);
        latencies.push(performance.now() - sentMs);
      },
      { concurrency: connections },
    );
    const seconds = (performance.now() - startedMs) / 1000;
    latencies.sort((a, b) => a - b);
    const at = (part: number) => latencies[Math.floor(part * (latencies.length - 1))] ?? Number.NaN;
    return { requestsPerSecond: requests / seconds, medianMs: at(0.5), p99Ms: at(0.99) };
  } finally {
    await pool.close();
  }
}

function freshId(): string {
  sent += 1;
  return `${process.pid.toString(16)}${sent.toString(16).padStart(24, '0')}`;
}

function messagesRequest(url: string): SignedRequest {
  const path = '/webhooks/messages';
  const fields = {
    MessageSid: `SM${freshId()}`,
    MessageStatus: 'delivered',
    AccountSid: 'AC00000000000000000000000000005a4d',
    From: 'whatsapp:+15550100001',
    To: 'whatsapp:+15550100002',
    ApiVersion: '2010-04-01',
  };
  const names = Object.keys(fields).sort() as (keyof typeof fields)[];
  const text = url + path + names.map((name) => name + fields[name]).join('');
  const signature = createHmac('sha1', WEBHOOK_SECRETS.messages).update(text).digest('base64');
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
  return { path, headers, body: new URLSearchParams(fields).toString() };
}

function graphRequest(): SignedRequest {
  const status = {
    id: `wamid.${freshId()}`,
    status: 'delivered',
    timestamp: '1800000000',
    recipient_id: '15550100002',
  };
  const metadata = { display_phone_number: '15550100001', phone_number_id: '106540352242922' };
  const value = { messaging_product: 'whatsapp', metadata, statuses: [status] };
  const entry = [{ id: '102290129340398', changes: [{ field: 'messages', value }] }];
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
  const signature = `sha256=${createHmac('sha256', WEBHOOK_SECRETS.graphApp).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  return { path: '/webhooks/graph', headers, body };
}
