import type { StateSchema } from '../state-schema.ts';

export type MessageState = StateSchema['message']['state'];

/** Allowed transitions. An accepted message never waits again, so it is never sent twice on its channel. */
export const MESSAGE_TRANSITIONS: Readonly<Record<MessageState, readonly MessageState[]>> = {
  pending: [
    'sending', // Committed before the request leaves.
    'accepted', // A late report: an earlier request was carried out after all.
    'delivered',
    'failed', // A late report, or it waited too long and another channel takes over.
  ],
  sending: [
    'accepted',
    'pending', // Surely not processed, for a temporary reason.
    'failed', // Surely not processed, for good.
    'unknown', // No conclusive answer, or the lease ran out: the process died.
    'delivered', // The report came before the answer.
  ],
  unknown: [
    'accepted', // It was searched and found, or a report came.
    'pending', // It was searched and is surely not there.
    'failed', // Surely not there, and another channel took over. Or it is there and did not arrive.
    'delivered',
  ],
  accepted: ['delivered', 'failed'],
  failed: ['delivered'], // An arrival outweighs any earlier word.
  delivered: [],
};

/** The progress of both channels' status words. An unknown word means accepted. */
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

/** Reports repeat for days and overtake each other. */
export function movesForward(known: string | undefined, word: string): boolean {
  return known === undefined || progressOf(word) > progressOf(known);
}

export function stateOfStatus(word: string): 'accepted' | 'failed' | 'delivered' {
  const progress = progressOf(word);
  return progress >= 6 ? 'delivered' : progress === 5 ? 'failed' : 'accepted';
}
