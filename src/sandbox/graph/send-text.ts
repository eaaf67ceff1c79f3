import type { ReceivedMessage } from '../message-store.ts';
import { digitsOf, fateOf } from '../phones.ts';
import { isJsonObject } from '../read-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { Service } from '../service.ts';
import { newGraphMessageId } from '../webhooks/compose-webhook.ts';
import { badParameter, refusedByPhone } from './graph-errors.ts';

const TEXT_CHARACTERS_MAX = 4_096;
const REFERENCE_BYTES_MAX = 512;

/**
 * Takes a text message (requirement A1) and keeps it, or marks one as read. The caller has checked who sends it, and that
 * the path names a number that can send.
 */
export function sendText(service: Service, body: unknown, requestId: string): Reply {
  const refuse = (sentence: string) => badParameter(sentence, requestId);
  if (!isJsonObject(body)) return refuse('The request body must be a JSON object.');
  if (body.messaging_product !== 'whatsapp') return refuse('Param messaging_product must be whatsapp.');
  // The specification does not know how a message is marked as read (rule 4 of 4.1).
  if (!service.strict && 'status' in body) return markAsRead(body, requestId);
  const problem = problemOf(body);
  if (problem !== undefined) return refuse(problem);
  const to = String(body.to);
  const text = isJsonObject(body.text) ? String(body.text.body) : '';
  const behaviour = service.phones.behaviour('graph', to);
  if (behaviour === 'throttled') return refusedByPhone(131056, requestId);
  if (behaviour === 'opted_out') return refusedByPhone(131026, requestId);
  const fate = fateOf('graph', behaviour);
  const message: ReceivedMessage = {
    ...{ sid: newGraphMessageId(), channel: 'graph', to, body: text, mediaUrl: undefined, mediaAttached: false },
    from: digitsOf(service.credentials.messages.from),
    receivedAt: new Date(service.clock.now()).toISOString(),
    ...{ status: fate.statuses.at(-1) ?? 'accepted', errorCode: fate.errorCode, statusCallback: undefined },
    reference: typeof body.biz_opaque_callback_data === 'string' ? body.biz_opaque_callback_data : undefined,
  };
  service.store.messages.add(message);
  service.webhooks.reportFate(message, fate);
  // The specification does not show the answer's body.
  if (service.strict) return jsonReply(200, {});
  const contacts = [{ input: to, wa_id: to }];
  return jsonReply(200, { messaging_product: 'whatsapp', contacts, messages: [{ id: message.sid }] });
}

function problemOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const { to, text, type = 'text', recipient_type = 'individual', biz_opaque_callback_data: reference } = body;
  if (recipient_type !== 'individual') return 'Param recipient_type must be individual.';
  if (type !== 'text') return 'Param type must be text: the sandbox takes no other messages.';
  if (typeof to !== 'string') return 'The parameter to is required.';
  if (!/^[1-9]\d{5,14}$/.test(to)) return 'Param to must be a phone number of digits in international form.';
  if (!isJsonObject(text)) return 'The parameter text is required.';
  if (typeof text.body !== 'string' || text.body === '') return "The parameter text['body'] is required.";
  if (text.body.length > TEXT_CHARACTERS_MAX) {
    return `Param text['body'] must be at most ${TEXT_CHARACTERS_MAX} characters long.`;
  }
  if (reference === undefined) return undefined;
  if (typeof reference !== 'string' || Buffer.byteLength(reference) > REFERENCE_BYTES_MAX) {
    return `Param biz_opaque_callback_data must be a text of at most ${REFERENCE_BYTES_MAX} bytes.`;
  }
  return undefined;
}

function markAsRead(body: Readonly<Record<string, unknown>>, requestId: string): Reply {
  if (body.status !== 'read') return badParameter('Param status must be read.', requestId);
  if (typeof body.message_id !== 'string' || !/^wamid\../.test(body.message_id)) {
    return badParameter('Param message_id must be the id of a message that was received.', requestId);
  }
  return jsonReply(200, { success: true });
}
