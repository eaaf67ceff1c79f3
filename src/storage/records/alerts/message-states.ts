import type { StateSchema } from '../state-schema.ts';

export type MessageState = StateSchema['message']['state'];

/** An accepted message never returns to `pending`, so that no message is sent twice. */
export const MESSAGE_TRANSITIONS: Readonly<Record<MessageState, readonly MessageState[]>> = {
  pending: [
    'sending', // Stored before the request is sent.
    'accepted', // A late report shows that an earlier request succeeded.
    'delivered',
    'failed', // For example, a late report shows a failure, or the message waited too long.
  ],
  sending: [
    'accepted',
    'pending', // Certainly not processed, for a temporary reason.
    'failed', // Certainly not processed, permanently.
    'unknown', // No clear answer came, or the process died.
    'delivered', // The report of delivery came before the provider's answer.
  ],
  unknown: [
    'accepted', // The provider's list has the message, or a report came.
    'pending', // The provider's list does not have the message.
    'failed', // Sent but not delivered, or another channel took over.
    'delivered',
  ],
  accepted: [
    'delivered',
    'failed',
    'unknown', // The provider's status could not be read for too long.
  ],
  failed: ['delivered'], // A report of delivery counts even after a failure.
  delivered: [],
};

/** A higher number is a later status. */
const PROGRESS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    accepted: 1,
    scheduled: 1,
    queued: 2,
    sending: 3,
    sent: 4,
    failed: 5,
    undelivered: 5,
    canceled: 5,
    deleted: 5,
    delivered: 6,
    received: 6,
    read: 7,
    played: 8,
  }),
);

const progressOf = (word: string): number => PROGRESS.get(word) ?? 1;

/** Returns false for repeated and outdated reports. */
export function movesForward(known: string | undefined, word: string): boolean {
  return known === undefined || progressOf(word) > progressOf(known);
}

export function stateOfStatus(word: string): 'accepted' | 'failed' | 'delivered' {
  const progress = progressOf(word);
  return progress >= 6 ? 'delivered' : progress === 5 ? 'failed' : 'accepted';
}
