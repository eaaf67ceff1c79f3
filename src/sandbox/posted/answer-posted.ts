import { createHmac, randomUUID } from 'node:crypto';
import { isJsonObject, type PostedRoute, type ReadRequest } from '../read-request.ts';
import { jsonReply, type Reply, textReply } from '../reply.ts';
import type { Service } from '../service.ts';

const PLAIN = 'text/plain; charset=UTF-8';

/** Mail, Slack, webhooks and Alertmanager, as strict as their documentation. Each takes an alert as one request. */
export function answerPosted(service: Service, request: ReadRequest, { channel, to }: PostedRoute): Reply {
  const read = READERS[channel](request, service);
  if ('refused' in read) return textReply(read.status, PLAIN, read.refused);
  service.store.messages.add({
    sid: randomUUID(),
    channel,
    to: read.to ?? to,
    from: 'pacekeeper',
    body: read.body,
    mediaUrl: undefined,
    mediaAttached: false,
    receivedAt: new Date(service.clock.now()).toISOString(),
    status: 'accepted',
    errorCode: undefined,
    statusCallback: undefined,
    reference: undefined,
  });
  return channel === 'slack' ? textReply(200, PLAIN, 'ok') : jsonReply(200, {});
}

type Reading =
  | { readonly body: string; readonly to?: string | undefined }
  | { readonly status: number; readonly refused: string };

const READERS: Readonly<Record<PostedRoute['channel'], (request: ReadRequest, service: Service) => Reading>> = {
  email: ({ json }) => {
    const { subject, text } = isJsonObject(json) ? json : {};
    const isWhole = typeof subject === 'string' && subject !== '' && typeof text === 'string' && text !== '';
    return isWhole ? { body: text } : { status: 400, refused: '554 The mail has no subject or no text.' };
  },
  slack: ({ json }) => {
    if (!isJsonObject(json)) return { status: 400, refused: 'invalid_payload' };
    const { text, blocks = [] } = json;
    if (typeof text !== 'string' || text === '') return { status: 400, refused: 'no_text' };
    const isFine = Array.isArray(blocks) && blocks.length <= BLOCKS_MAX && blocks.every(isBlock);
    return isFine ? { body: text.replace(/&(amp|lt|gt);/g, plainSign) } : { status: 400, refused: 'invalid_blocks' };
  },
  webhook: (request, service) => {
    const { json } = request;
    if (!isSigned(request, service)) return { status: 401, refused: 'The signature is invalid.' };
    const data = isJsonObject(json) && isJsonObject(json.data) ? json.data : {};
    return typeof data.text === 'string' ? { body: data.text } : { status: 400, refused: 'The data has no text.' };
  },
  alertmanager: ({ json }) => {
    const isFine = Array.isArray(json) && json.every(isAlert);
    if (!isFine) return { status: 400, refused: 'invalid label set' };
    return {
      body: json.map(({ annotations, endsAt }) => `${annotations.description} (until ${endsAt})`).join('\n\n'),
      to: json[0]?.labels.recipient,
    };
  },
};

const BLOCKS_MAX = 50;
const SECTION_LENGTH_MAX = 3_000;
const BLOCK_TYPES: readonly unknown[] = ['section', 'actions', 'header', 'divider'];

function isBlock(block: unknown): boolean {
  if (!isJsonObject(block) || !BLOCK_TYPES.includes(block.type)) return false;
  if (block.type !== 'section') return true;
  const text = isJsonObject(block.text) ? block.text.text : undefined;
  return typeof text === 'string' && text !== '' && text.length <= SECTION_LENGTH_MAX;
}

function plainSign(_: string, name: string): string {
  return { amp: '&', lt: '<', gt: '>' }[name] ?? '';
}

const TOLERANCE_MS = 5 * 60_000;

function isSigned({ recorded, text }: ReadRequest, { credentials, clock }: Service): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures = '' } = recorded.headers;
  if (Math.abs(Number(seconds) * 1000 - clock.now()) > TOLERANCE_MS) return false;
  const key = Buffer.from(credentials.webhook.secret.replace('whsec_', ''), 'base64');
  const own = `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64')}`;
  return String(signatures).split(' ').includes(own);
}

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly endsAt: string;
}

function isAlert(value: unknown): value is Alert {
  if (!isJsonObject(value) || !isJsonObject(value.labels) || !isJsonObject(value.annotations)) return false;
  const labels = Object.values(value.labels);
  const dates = [value.startsAt, value.endsAt];
  return (
    typeof value.labels.alertname === 'string' &&
    labels.every((label) => typeof label === 'string' && label !== '') &&
    dates.every((date) => typeof date === 'string' && !Number.isNaN(Date.parse(date)))
  );
}
