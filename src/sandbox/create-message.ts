import { randomUUID } from 'node:crypto';
import { jsonReply, type Reply } from './reply.ts';
import type { Service } from './service.ts';

const BODY_CHARACTERS_MAX = 1_600;
const SEGMENT_CHARACTERS = 153;
const ADDRESS = /^[a-z_]+:\+[1-9]\d{5,14}$/;

/**
 * Endings of media that the channel takes. The provider goes by the media's content type; the sandbox opens no address
 * and goes by the ending. A calendar or a text file is taken and silently dropped (requirement C4).
 */
const ATTACHED = /\.(jpe?g|png|webp|ogg|amr|3gp|aac|mp3|mp4|pdf|docx?|pptx|xlsx|vcf|vcard)$/i;

/** Area C's error body. */
export function messageError(status: number, code: number, message: string): Reply {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return jsonReply(status, { code, message, more_info, status });
}

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
  const problem = problemOf(to, from, body, mediaUrl);
  if (problem !== undefined) return problem;
  const sid = `SM${randomUUID().replaceAll('-', '')}`;
  const mediaAttached = mediaUrl !== undefined && ATTACHED.test(pathOf(mediaUrl) ?? '');
  const nowMs = service.clock.now();
  const receivedAt = new Date(nowMs).toISOString();
  service.store.addMessage({ sid, to, from, body, mediaUrl, mediaAttached, receivedAt });
  // The specification does not show the answer's body.
  if (service.strict) return jsonReply(201, {});
  const date = new Date(nowMs).toUTCString().replace('GMT', '+0000');
  return jsonReply(201, {
    ...{ sid, account_sid: service.credentials.messages.accountId, status: 'queued', direction: 'outbound-api' },
    ...{ to, from, body, num_media: mediaAttached ? '1' : '0', num_segments: segments(body) },
    ...{ price: null, price_unit: null, error_code: null, error_message: null },
    ...{ date_created: date, date_updated: date, date_sent: null, api_version: '2010-04-01' },
  });
}

function problemOf(to: string, from: string, body: string, mediaUrl: string | undefined): Reply | undefined {
  if (!ADDRESS.test(to)) {
    return messageError(400, 21211, `Invalid 'To': found "${to}", expected <channel>:+<digits>.`);
  }
  if (!ADDRESS.test(from)) {
    return messageError(400, 21606, `Invalid 'From': found "${from}", expected <channel>:+<digits>.`);
  }
  if (body === '') return messageError(400, 21602, "Message body is required: found no 'Body'.");
  if (body.length > BODY_CHARACTERS_MAX) {
    const found = `found ${body.length} characters, expected at most ${BODY_CHARACTERS_MAX}`;
    return messageError(400, 21617, `The message body is too long: ${found}.`);
  }
  if (mediaUrl !== undefined && pathOf(mediaUrl) === undefined) {
    return messageError(400, 21620, `Invalid 'MediaUrl': found "${mediaUrl}", expected an http or https address.`);
  }
  return undefined;
}

function pathOf(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.pathname : undefined;
}

function segments(body: string): string {
  return String(Math.max(1, Math.ceil(body.length / SEGMENT_CHARACTERS)));
}
