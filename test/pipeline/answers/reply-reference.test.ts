import { expect, it } from 'vitest';
import { replyReference } from '../../../src/engine/answers/record-reply.ts';
import type { WaitingEvent } from '../../../src/storage/inbox/inbox.ts';

const event = (channel: WaitingEvent['channel'], providerId: string): WaitingEvent => ({
  id: 1n,
  channel,
  kind: 'message',
  dedupeKey: `${channel}:message:${providerId}`,
  providerId,
  sender: undefined,
  status: undefined,
  text: 'YES 7K3Q',
  payload: '{}',
  receivedAt: '2026-11-20T12:00:00Z',
});

it('the audit trail names a message by its key, and a graph message, whose id contains the number, by its hash', () => {
  expect(replyReference(event('messages', 'SM1'))).toBe('messages:message:SM1');
  const id = `wamid.${Buffer.from('4915112345678').toString('base64')}`;
  expect(replyReference(event('graph', id))).toMatch(/^graph:message:sha256:[0-9a-f]{16}$/);
});
