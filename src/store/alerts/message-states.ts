import type { StateSchema } from '../state-schema.ts';

export type MessageState = StateSchema['message']['state'];

/** Allowed transitions. An accepted message never waits again, so it is never sent twice on a channel. */
export const MESSAGE_TRANSITIONS: Readonly<Record<MessageState, readonly MessageState[]>> = {
  pending: [
    'sending', // Committed before the request is sent.
    'accepted', // A late report: an earlier request succeeded.
    'delivered',
    'failed', // A late report. Or it waited too long, so another channel takes over.
  ],
  sending: [
    'accepted',
    'pending', // Certainly not processed, for a temporary reason.
    'failed', // Certainly not processed, permanently.
    'unknown', // No conclusive answer. Or the process died and the lease ended.
    'delivered', // The report came before the answer.
  ],
  unknown: [
    'accepted', // A look-up found it, or a report came.
    'pending', // A look-up proved that it was not sent.
    'failed', // Not sent, and another channel took over. Or sent, but not delivered.
    'delivered',
  ],
  accepted: ['delivered', 'failed'],
  failed: ['delivered'], // A delivery outweighs every earlier status.
  delivered: [],
};

/** The order of both channels' status words. An unknown word counts as accepted. */
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
