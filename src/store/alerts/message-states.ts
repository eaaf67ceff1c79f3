import type { StateSchema } from '../state-schema.ts';

export type MessageState = StateSchema['message']['state'];

/** Allowed transitions. An accepted message never returns to `pending`, so it is not sent twice. */
export const MESSAGE_TRANSITIONS: Readonly<Record<MessageState, readonly MessageState[]>> = {
  pending: [
    'sending', // Committed before the request is sent.
    'accepted', // A late report shows that an earlier request succeeded.
    'delivered',
    'failed', // A late report shows a failure. Or the message waited too long and another channel takes over.
  ],
  sending: [
    'accepted',
    'pending', // Certainly not processed, for a temporary reason.
    'failed', // Certainly not processed, permanently.
    'unknown', // No conclusive answer came. Or the process died and the lease ended.
    'delivered', // The report came before the answer.
  ],
  unknown: [
    'accepted', // The provider's list has the message, or a report came.
    'pending', // The provider's list does not have the message.
    'failed', // Not sent, and another channel took over. Or sent, but not delivered.
    'delivered',
  ],
  accepted: ['delivered', 'failed'],
  failed: ['delivered'], // A report of delivery counts even after a failure.
  delivered: [],
};

/** Status words of both channels. A higher number is later. An unknown word counts as `accepted`. */
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

/** Returns false for repeated and outdated reports. Providers may send reports for days. */
export function movesForward(known: string | undefined, word: string): boolean {
  return known === undefined || progressOf(word) > progressOf(known);
}

export function stateOfStatus(word: string): 'accepted' | 'failed' | 'delivered' {
  const progress = progressOf(word);
  return progress >= 6 ? 'delivered' : progress === 5 ? 'failed' : 'accepted';
}
