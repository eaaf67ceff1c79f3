import { createHash, createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseAsWritten } from '../../domain/parse-json.ts';
import { isSame } from '../../services/http/is-same.ts';
import { bodyOf, Refusal } from '../../services/http/received-request.ts';
import { type ArrivedEvent, type Json, jsonObject, type WebhookDeps } from '../channel.ts';

/** The interface sends batches of up to 3 MB. */
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;
const WRONG = 'X-Hub-Signature-256 is wrong';

/** Receives webhooks of the graph interface (requirement A11). */
export function receiveGraph(server: FastifyInstance, { keep, secrets, path }: WebhookDeps): void {
  server.get(path, async (request, reply) => {
    const graphVerify = secrets.GRAPH_VERIFY_TOKEN;
    if (graphVerify === undefined) throw new Refusal(404, 'GRAPH_VERIFY_TOKEN is not set');
    const challenge = challengeOf(request, graphVerify);
    return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(challenge);
  });

  const proofOf = ({ headers }: FastifyRequest) => {
    const graphApp = secrets.GRAPH_APP_SECRET;
    if (graphApp === undefined) throw new Refusal(404, 'GRAPH_APP_SECRET is not set');
    const signature = headers['x-hub-signature-256'];
    if (typeof signature !== 'string') throw new Refusal(401, 'X-Hub-Signature-256 is missing');
    if (!SIGNATURE.test(signature)) throw new Refusal(403, WRONG);
    return { signature, graphApp };
  };

  // Refuses a request without a well-formed signature before reading its body.
  const onRequest = async (request: FastifyRequest) => void proofOf(request);
  server.post(path, { bodyLimit: BATCH_BYTES_MAX, onRequest }, async (request, reply) => {
    const { signature, graphApp } = proofOf(request);
    const body = bodyOf(request);
    if (!isSignedByGraph(signature, graphApp, body)) throw new Refusal(403, WRONG);
    await keep(readSafely(body));
    return reply.send({ received: true });
  });
}

function challengeOf(request: FastifyRequest, graphVerify: string): string {
  const query = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1));
  const [mode, token, challenge] = ['mode', 'verify_token', 'challenge'].map((name) => query.get(`hub.${name}`));
  const isKnown = isSame(token ?? '', graphVerify);
  if (mode !== 'subscribe' || !isKnown) throw new Refusal(403, 'hub.mode or hub.verify_token is wrong');
  if (!challenge) throw new Refusal(400, 'hub.challenge is missing');
  return challenge;
}

function readSafely(body: Buffer) {
  try {
    return readGraphWebhook(body.toString('utf8'));
  } catch (error) {
    // Serialising deeply nested JSON can throw a RangeError.
    if (error instanceof SyntaxError || error instanceof RangeError) throw new Refusal(400, 'the body is not JSON');
    throw error;
  }
}

const AROUND = new Set(['messaging_product', 'contacts']);

/** Unknown parts become events of their own (requirement A11). Throws `SyntaxError` for invalid JSON. */
export function readGraphWebhook(text: string): ArrivedEvent[] {
  const body = parseAsWritten(text);
  if (body === undefined) throw new SyntaxError('The body is not JSON.');
  const { object, entry, ...beside } = jsonObject(body);
  if (!Array.isArray(entry) || entry.length === 0) return [otherText(text)];
  return [...entry.flatMap((one) => readEntry(object, one)), ...unknownParts({ object }, beside)];
}

function readEntry(object: unknown, entry: unknown): ArrivedEvent[] {
  const { id, time: _whenItWasTold, changes, ...beside } = jsonObject(entry);
  if (!Array.isArray(changes) || changes.length === 0) return [other({ object, entry })];
  const account = { object, entry_id: id };
  return [...changes.flatMap((change) => readChange(account, change)), ...unknownParts(account, beside)];
}

function readChange(account: Json, change: unknown): ArrivedEvent[] {
  const { field, value, ...beside } = jsonObject(change);
  const whole = other({ ...account, change });
  if (account.object !== 'whatsapp_business_account' || field !== 'messages') return [whole];
  const { metadata, messages, statuses, ...rest } = jsonObject(value);
  const around = { ...account, metadata };
  const events = [
    ...listOf(messages).map((message) => readMessage(message, around)),
    ...listOf(statuses).map((status) => readStatus(status, around)),
  ];
  const isKnown = events.length > 0 && isEmpty(beside) && Object.keys(rest).every((key) => AROUND.has(key));
  return isKnown ? events : [...events, whole];
}

function unknownParts(account: Json, beside: Json): ArrivedEvent[] {
  return isEmpty(beside) ? [] : [other({ ...account, beside })];
}

function readMessage(message: unknown, around: Json): ArrivedEvent {
  const { id, from, from_user_id: userId } = jsonObject(message);
  const payload = { ...around, message };
  // A person with a username may show only an id, which is no number, whatever its digits.
  const sender = typeof from !== 'string' && isName(userId) ? `user:${userId}` : from;
  if (!isName(id) || typeof sender !== 'string') return other(payload);
  return {
    channel: 'graph',
    kind: 'message',
    dedupeKey: `graph:message:${id}`,
    providerId: id,
    sender,
    text: textOf(jsonObject(message)),
    payload: JSON.stringify(payload),
  };
}

function textOf({ type, text, button, interactive }: Json): string | undefined {
  const { button_reply, list_reply } = jsonObject(interactive);
  const said =
    type === 'interactive'
      ? (jsonObject(button_reply).title ?? jsonObject(list_reply).title)
      : type === 'button'
        ? jsonObject(button).text
        : jsonObject(text).body;
  return typeof said === 'string' ? said : undefined;
}

function readStatus(status: unknown, around: Json): ArrivedEvent {
  const { id, status: word } = jsonObject(status);
  const payload = { ...around, status };
  if (!isName(id) || typeof word !== 'string') return other(payload);
  return {
    channel: 'graph',
    kind: 'status',
    dedupeKey: `graph:status:${id}:${word}`,
    providerId: id,
    status: word,
    payload: JSON.stringify(payload),
  };
}

function other(told: unknown): ArrivedEvent {
  return otherText(JSON.stringify(told));
}

function otherText(payload: string): ArrivedEvent {
  const dedupeKey = `graph:other:${createHash('sha256').update(payload).digest('hex')}`;
  return { channel: 'graph', kind: 'other', dedupeKey, payload };
}

/** False for an empty id, because all events with an empty id would count as duplicates. */
function isName(id: unknown): id is string {
  return typeof id === 'string' && id !== '';
}

function isEmpty(parts: Json): boolean {
  return Object.keys(parts).length === 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** Expects `sha256=` and the hexadecimal HMAC of the raw body. */
export function isSignedByGraph(signature: string, appSecret: string, body: Uint8Array): boolean {
  return isSame(signature, `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`);
}
