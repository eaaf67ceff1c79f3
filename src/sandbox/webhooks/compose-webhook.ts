import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { SandboxCredentials } from '../credentials.ts';
import type { ReceivedMessage } from '../message-store.ts';
import type { PhoneChannel } from '../phones.ts';
import { digitsOf } from '../phones.ts';
import { API_VERSION } from '../read-request.ts';

export interface Webhook {
  readonly channel: PhoneChannel;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The signature covers `signedUrl`, which can differ from `url`. */
export interface Receiver {
  readonly url: string;
  readonly signedUrl: string;
}

export interface PhoneReply {
  readonly channel: PhoneChannel;
  readonly from: string;
  readonly text: string;
  readonly id?: string;
}

export type Speaker = Readonly<ReturnType<typeof speakerOf>>;

export function speakerOf({ messages, graph }: SandboxCredentials) {
  const { accountId, password: authToken, from: sender } = messages;
  const { appSecret, businessAccountId, phoneNumberId } = graph;
  return { accountId, authToken, sender, appSecret, businessAccountId, phoneNumberId };
}

export function receiverBelow(channel: PhoneChannel, url: string, signedUrl = url): Receiver {
  const path = `/webhooks/${channel}`;
  return { url: url + path, signedUrl: signedUrl + path };
}

export function newGraphMessageId(): string {
  return `wamid.${randomBytes(30).toString('base64')}`;
}

export function inboundWebhook(speaker: Speaker, reply: PhoneReply, nowMs: number, receiver: Receiver): Webhook {
  const { channel, text } = reply;
  const waId = digitsOf(reply.from);
  if (channel === 'graph') {
    const id = reply.id ?? newGraphMessageId();
    const contacts = [{ profile: { name: 'Sandbox phone' }, wa_id: waId }];
    const messages = [{ from: waId, id, timestamp: seconds(nowMs), type: 'text', text: { body: text } }];
    return graphWebhook(speaker, { contacts, messages }, receiver);
  }
  const sid = reply.id ?? `SM${randomUUID().replaceAll('-', '')}`;
  const prefix = speaker.sender.slice(0, speaker.sender.indexOf('+'));
  return formWebhook(
    speaker,
    {
      MessageSid: sid,
      SmsSid: sid,
      SmsMessageSid: sid,
      AccountSid: speaker.accountId,
      ApiVersion: API_VERSION,
      From: `${prefix}+${waId}`,
      To: speaker.sender,
      Body: text,
      WaId: waId,
      ProfileName: 'Sandbox phone',
      NumMedia: '0',
      NumSegments: '1',
      SmsStatus: 'received',
      MessageType: 'text',
    },
    receiver,
  );
}

export function statusWebhook(
  speaker: Speaker,
  message: ReceivedMessage,
  { status, errorCode }: { readonly status: string; readonly errorCode: number | undefined },
  nowMs: number,
  receiver: Receiver,
): Webhook {
  const { sid, to, from, reference } = message;
  if (message.channel === 'graph') {
    const title = 'Message undeliverable';
    const failure = { code: errorCode, title, message: title, error_data: { details: `Error ${errorCode}.` } };
    const told = {
      id: sid,
      status,
      timestamp: seconds(nowMs),
      recipient_id: digitsOf(to),
      ...(reference === undefined ? {} : { biz_opaque_callback_data: reference }),
      ...(errorCode === undefined ? {} : { errors: [failure] }),
    };
    return graphWebhook(speaker, { statuses: [told] }, receiver);
  }
  return formWebhook(
    speaker,
    {
      MessageSid: sid,
      SmsSid: sid,
      MessageStatus: status,
      SmsStatus: status,
      To: to,
      From: from,
      AccountSid: speaker.accountId,
      ApiVersion: API_VERSION,
      ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
    },
    receiver,
  );
}

function formWebhook(speaker: Speaker, fields: Readonly<Record<string, string>>, receiver: Receiver): Webhook {
  return {
    channel: 'messages',
    url: receiver.url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'x-twilio-signature': signForm(speaker.authToken, receiver.signedUrl, fields),
    },
    body: new URLSearchParams(fields).toString(),
  };
}

/** The `id` of the entry is the business account's id, not the sender's (section 6). */
function graphWebhook(speaker: Speaker, content: object, { url }: Receiver): Webhook {
  const metadata = {
    display_phone_number: digitsOf(speaker.sender),
    phone_number_id: speaker.phoneNumberId,
  };
  const value = { messaging_product: 'whatsapp', metadata, ...content };
  const entry = [{ id: speaker.businessAccountId, changes: [{ value, field: 'messages' }] }];
  const body = asciiJson({ object: 'whatsapp_business_account', entry });
  return {
    channel: 'graph',
    url,
    body,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signBytes(speaker.appSecret, body) },
  };
}

function seconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}

/** The value of `X-Twilio-Signature`: HMAC-SHA1 over the address and the fields, sorted by name. */
export function signForm(authToken: string, url: string, fields: Readonly<Record<string, string>>): string {
  const names = Object.keys(fields).sort();
  const text = names.reduce((signed, name) => `${signed}${name}${fields[name]}`, url);
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64');
}

/** The value of the header `X-Hub-Signature-256`. */
export function signBytes(appSecret: string, body: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body, 'utf8').digest('hex')}`;
}

/** The graph interface escapes non-ASCII characters as `\uXXXX` before it signs. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
