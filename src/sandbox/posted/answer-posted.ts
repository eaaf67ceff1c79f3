import { createHmac, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { isJsonObject, type PostedRoute, type ReadRequest } from '../read-request.ts';
import { jsonReply, type Reply, textReply } from '../reply.ts';
import type { Service } from '../service.ts';

const PLAIN = 'text/plain; charset=UTF-8';

/** Mail, chats, webhooks, Alertmanager and PagerDuty, as strict as their documentation. */
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
  return ACCEPTED[channel] ?? jsonReply(200, {});
}

const ACCEPTED: { readonly [Name in PostedRoute['channel']]?: Reply } = {
  slack: textReply(200, PLAIN, 'ok'),
  teams: textReply(202, PLAIN, ''),
  google_chat: jsonReply(200, { name: 'spaces/sandbox/messages/1' }),
  discord: textReply(204, PLAIN, ''),
  ntfy: jsonReply(200, { id: 'sandbox', event: 'message' }),
  pagerduty: jsonReply(202, { status: 'success', message: 'Event processed' }),
};

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
  teams: ({ json, text }) => {
    const { data, success } = TEAMS.safeParse(json);
    const isFine = success && Buffer.byteLength(text) <= TEAMS_BYTES_MAX;
    if (!isFine) return { status: 400, refused: 'Bad payload received by generic incoming webhook.' };
    const lines = data.attachments.flatMap(({ content }) => content.body.flatMap(({ inlines }) => inlines));
    return { body: lines.map((line) => line.text).join('\n') };
  },
  google_chat({ json, text }) {
    const { data, success } = GOOGLE_CHAT.safeParse(json);
    const isFine = success && Buffer.byteLength(text) <= GOOGLE_CHAT_BYTES_MAX;
    return isFine ? { body: data.text } : { status: 400, refused: 'INVALID_ARGUMENT' };
  },
  discord({ json }) {
    const { data, success } = DISCORD.safeParse(json);
    return success ? { body: data.content } : { status: 400, refused: 'Invalid Form Body' };
  },
  ntfy({ json }) {
    const { data, success } = NTFY.safeParse(json);
    if (!success) return { status: 400, refused: 'invalid request: request body must be valid JSON' };
    return { body: `${data.title}\n${data.message}`, to: data.topic };
  },
  pagerduty({ json, recorded }) {
    const isChange = recorded.path.endsWith('/change/enqueue');
    const { data, success } = (isChange ? PAGERDUTY_CHANGE : PAGERDUTY).safeParse(json);
    if (!success) return { status: 400, refused: 'Event object is invalid' };
    return { body: `${data.event_action ?? 'change'}: ${data.payload.summary}`, to: data.routing_key };
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

const TEAMS_BYTES_MAX = 28 * 1024;
const words = z.string().min(1);
const run = z.object({ type: z.literal('TextRun'), text: z.string() });
const TEAMS = z.object({
  type: z.literal('message'),
  attachments: z.tuple([
    z.object({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      content: z.object({
        type: z.literal('AdaptiveCard'),
        body: z.array(z.object({ type: z.literal('RichTextBlock'), inlines: z.array(run) })),
        actions: z.array(z.object({ type: z.literal('Action.OpenUrl'), title: words, url: z.url() })),
      }),
    }),
  ]),
});

const GOOGLE_CHAT_BYTES_MAX = 32_000;
const GOOGLE_CHAT = z.object({ text: words });

/** Discord itself takes messages that call everyone. */
const DISCORD = z.object({
  content: words.max(2_000),
  allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
});

const NTFY = z.object({
  topic: z.string().regex(/^[-\w]{1,64}$/),
  title: words,
  message: words.refine((text) => Buffer.byteLength(text) <= 4_096),
  priority: z.int().min(1).max(5),
  actions: z.array(z.object({ action: z.literal('view'), label: words, url: z.url() })).max(3),
});

const said = { summary: words.max(1_024), source: words };
const PAGERDUTY = z.object({
  routing_key: words,
  event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
  dedup_key: words.max(255),
  payload: z.object({ ...said, severity: z.enum(['critical', 'error', 'warning', 'info']) }),
});
const PAGERDUTY_CHANGE = z.object({
  routing_key: words,
  event_action: z.undefined().optional(),
  payload: z.object({ ...said, timestamp: z.iso.datetime() }),
});

const BLOCKS_MAX = 50;
const SECTION_LENGTH_MAX = 3_000;
const BLOCK_TYPES: readonly unknown[] = ['section', 'actions', 'image', 'header', 'divider'];

function isBlock(block: unknown): boolean {
  if (!isJsonObject(block) || !BLOCK_TYPES.includes(block.type)) return false;
  // Slack fetches the picture, too. Here, an address is enough.
  if (block.type === 'image') return URL.canParse(String(block.image_url)) && Boolean(block.alt_text);
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
