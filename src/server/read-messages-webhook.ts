import { createHash } from 'node:crypto';
import type { ArrivedEvent } from '../inbox/arrived-event.ts';

/** What an inbound message has for a status. */
const INBOUND = new Set(['receiving', 'received']);

/**
 * What area C tells in one form, each field of which comes once: a person's message, or what became of one of ours. A form
 * that is neither is kept whole.
 */
export function readMessagesWebhook(fields: URLSearchParams): ArrivedEvent {
  const field = (name: string) => fields.get(name) || undefined;
  const providerId = field('MessageSid') ?? field('SmsSid');
  const status = (field('MessageStatus') ?? field('SmsStatus'))?.toLowerCase();
  const sender = field('From');
  const payload = JSON.stringify(Object.fromEntries(fields));
  const base = { channel: 'messages', providerId, payload } as const;
  if (providerId !== undefined && status !== undefined && !INBOUND.has(status)) {
    const dedupeKey = `messages:status:${providerId}:${status}`;
    return { ...base, kind: 'status', dedupeKey, sender: undefined, status, text: undefined };
  }
  if (providerId !== undefined && sender !== undefined) {
    const dedupeKey = `messages:message:${providerId}`;
    return { ...base, kind: 'message', dedupeKey, sender, status: undefined, text: fields.get('Body') ?? undefined };
  }
  const hash = createHash('sha256').update(fields.toString()).digest('hex');
  return { ...base, kind: 'other', dedupeKey: `messages:other:${hash}`, sender, status, text: undefined };
}
