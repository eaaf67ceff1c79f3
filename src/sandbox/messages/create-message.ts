import { randomUUID } from 'node:crypto';
import type { ReceivedMessage } from '../message-store.ts';
import { fateOf } from '../phones.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { Service } from '../service.ts';
import { messageError, messageResource } from './message-resource.ts';

const BODY_CHARACTERS_MAX = 1_600;
const ADDRESS = /^[a-z_]+:\+[1-9]\d{5,14}$/;

/**
 * Endings of media that the channel takes. The provider goes by the media's content type; the sandbox opens no address
 * and goes by the ending. A calendar or a text file is taken and silently dropped (requirement C4).
 */
const ATTACHED = /\.(jpe?g|png|webp|ogg|amr|3gp|aac|mp3|mp4|pdf|docx?|pptx|xlsx|vcf|vcard)$/i;

/** Takes a form-encoded message (requirements C1 to C5) and keeps it. The caller has checked who sends it. */
export function createMessage(service: Service, contentType: string, text: string): Reply {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)) {
    const found = contentType === '' ? 'no content type' : contentType;
    return messageError(400, 20001, `Found ${found}, expected application/x-www-form-urlencoded.`);
  }
  const form = new URLSearchParams(text);
  const to = form.get('To') ?? '';
  const from = form.get('From') ?? '';
  const body = form.get('Body') ?? '';
  const mediaUrl = form.get('MediaUrl') ?? undefined;
  const statusCallback = form.get('StatusCallback') ?? undefined;
  const problem = problemOf(to, from, body, mediaUrl, statusCallback);
  if (problem !== undefined) return problem;
  const behaviour = service.phones.behaviour('messages', to);
  if (behaviour === 'throttled') return messageError(429, 20429, 'Too many requests: this number is asked too often.');
  if (behaviour === 'opted_out') return messageError(400, 21610, 'Attempt to send to an unsubscribed recipient.');
  const fate = fateOf('messages', behaviour);
  const message: ReceivedMessage = {
    ...{ sid: `SM${randomUUID().replaceAll('-', '')}`, channel: 'messages', to, from, body, mediaUrl },
    mediaAttached: mediaUrl !== undefined && ATTACHED.test(pathOf(mediaUrl) ?? ''),
    receivedAt: new Date(service.clock.now()).toISOString(),
    status: fate.statuses.at(-1) ?? 'queued',
    ...{ errorCode: fate.errorCode, statusCallback, reference: undefined },
  };
  service.store.messages.add(message);
  service.webhooks.reportFate(message, fate);
  // The specification does not show the answer's body.
  if (service.strict) return jsonReply(201, {});
  const created: ReceivedMessage = { ...message, status: 'queued', errorCode: undefined };
  return jsonReply(201, messageResource(created, service.credentials.messages.accountId, false));
}

function problemOf(
  to: string,
  from: string,
  body: string,
  mediaUrl: string | undefined,
  statusCallback: string | undefined,
): Reply | undefined {
  if (!ADDRESS.test(to)) {
    return messageError(400, 21211, `Invalid 'To': found "${to}", expected <channel>:+<digits>.`);
  }
  if (!ADDRESS.test(from)) {
    return messageError(400, 21606, `Invalid 'From': found "${from}", expected <channel>:+<digits>.`);
  }
  if (channelOf(to) !== channelOf(from)) {
    return messageError(400, 21910, `From(${from}) and To(${to}) addresses should be of the same channel.`);
  }
  if (body === '') return messageError(400, 21602, "Message body is required: found no 'Body'.");
  if (body.length > BODY_CHARACTERS_MAX) {
    const found = `found ${body.length} characters, expected at most ${BODY_CHARACTERS_MAX}`;
    return messageError(400, 21617, `The message body is too long: ${found}.`);
  }
  if (mediaUrl !== undefined && pathOf(mediaUrl) === undefined) {
    return messageError(400, 21620, `Invalid 'MediaUrl': found "${mediaUrl}", expected an http or https address.`);
  }
  if (statusCallback !== undefined && pathOf(statusCallback) === undefined) {
    const found = `found "${statusCallback}", expected an http or https address`;
    return messageError(400, 21609, `Invalid 'StatusCallback': ${found}.`);
  }
  return undefined;
}

function channelOf(address: string): string {
  return address.slice(0, address.indexOf(':'));
}

function pathOf(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.pathname : undefined;
}
