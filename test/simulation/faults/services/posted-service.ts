import { createHmac } from 'node:crypto';
import type { ServiceAnswer } from './ads-service.ts';

/** What one document tells a recipient. */
export interface Posted {
  readonly to: string;
  readonly body: string;
  /** By which the receiver recognises a repetition. */
  readonly reference?: string;
  /** What a program is told of: it knows each alert by its key. */
  readonly news?: readonly { readonly key: string; readonly isOver: boolean }[];
}

export const WEBHOOK_SECRET = `whsec_${Buffer.from('webhook-key-of-the-simulation').toString('base64')}`;
export const ALERTMANAGER_TOKEN = 'alertmanager-token-of-the-simulation';
export const routingKeyOf = (name: string) => name.padEnd(32, '0');
export const addressAt = (channel: string, name: string) => `https://posted.example/${channel}/${name}${KEY}`;
const KEY = '?key=chat-key-of-the-simulation';

/** What each channel answers when it has taken a document. */
export const TAKEN: Readonly<Record<string, ServiceAnswer>> = {
  slack: { status: 200, headers: {}, body: 'ok' },
  google_chat: { status: 200, headers: {}, body: '{"name":"spaces/one/messages/two"}' },
  webhook: { status: 204, headers: {}, body: '' },
  alertmanager: { status: 200, headers: {}, body: '' },
  pagerduty: { status: 202, headers: {}, body: '{"status":"success"}' },
};

export const channelAt = ({ pathname }: URL) => pathname.split('/')[1] ?? '';

interface Incident {
  readonly routing_key: string;
  readonly event_action?: string;
  readonly dedup_key?: string;
  readonly payload: { readonly custom_details: { readonly text: string; readonly reference: string } };
}

interface Labelled {
  readonly labels: { readonly recipient: string; readonly key: string };
  readonly annotations: { readonly description: string };
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Undefined for a document that the receiver refuses: whoever sent it has no key, or it makes no sense. */
export function readPosted(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  nowMs: number,
): Posted | undefined {
  const channel = channelAt(url);
  const to = url.pathname.split('/')[2] ?? '';
  const said: unknown = JSON.parse(body);
  if (channel === 'pagerduty') return incident(said as Incident);
  if (channel === 'alertmanager') {
    const isKnown = headers.authorization === `Bearer ${ALERTMANAGER_TOKEN}`;
    return isKnown ? labelled(said as Labelled[], nowMs) : undefined;
  }
  if (url.search !== KEY) return undefined;
  if (channel === 'webhook') {
    const { 'webhook-id': reference = '', 'webhook-signature': signature } = headers;
    const key = Buffer.from(WEBHOOK_SECRET.replace('whsec_', ''), 'base64');
    const signed = createHmac('sha256', key).update(`${reference}.${headers['webhook-timestamp']}.${body}`);
    if (signature !== `v1,${signed.digest('base64')}`) return undefined;
    return { to, body: (said as { data: { text: string } }).data.text, reference };
  }
  const { text } = said as { text: string };
  if (channel === 'google_chat') return { to, body: text.replaceAll('\u2039', '<') };
  return { to, body: text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') };
}

/** An event without a key pages nobody. */
function incident({ routing_key, event_action, dedup_key, payload }: Incident): Posted {
  const { text, reference } = payload.custom_details;
  const news = dedup_key === undefined ? [] : [{ key: dedup_key, isOver: event_action === 'resolve' }];
  return { to: routing_key.replace(/0+$/, ''), body: `${text}\nRef ${reference}`, news };
}

function labelled(alerts: readonly Labelled[], nowMs: number): Posted | undefined {
  const [first] = alerts;
  if (first === undefined || alerts.some(({ startsAt, endsAt }) => endsAt < startsAt)) return undefined;
  return {
    to: first.labels.recipient,
    body: alerts.map(({ annotations }) => annotations.description).join('\n\n'),
    news: alerts.map(({ labels, endsAt }) => ({ key: labels.key, isOver: Date.parse(endsAt) <= nowMs })),
  };
}

/** By status, the words of Slack. */
const SLACK: Readonly<Record<number, string>> = { 400: 'invalid_payload', 429: 'rate_limited', 500: 'rollup_error' };

/** A refusal as the channel words it. A webhook is not wanted any more instead. */
export function refusedPost(url: URL, status: number, headers: ServiceAnswer['headers']): ServiceAnswer {
  if (channelAt(url) === 'webhook' && status === 400) return { status: 410, headers, body: '' };
  return { status, headers, body: (channelAt(url) === 'slack' && SLACK[status]) || '{}' };
}
