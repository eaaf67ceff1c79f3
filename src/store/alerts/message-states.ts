import type { StateSchema } from '../state-schema.ts';

export type MessageState = StateSchema['message']['state'];

/** What a message may become. An accepted one never waits again: it is never sent twice on its channel. */
export const MESSAGE_TRANSITIONS: Readonly<Record<MessageState, readonly MessageState[]>> = {
  pending: [
    'sending', // Committed before the request leaves.
    'accepted', // A late report says that an earlier request was carried out after all.
    'delivered', // As above.
    'failed', // As above. Or it is waited for no longer: what it tells goes elsewhere.
  ],
  sending: [
    'accepted', // The service says so.
    'pending', // It was surely not processed, for a reason that may pass.
    'failed', // It was surely not processed, and will not be.
    'unknown', // No answer, one that proves nothing, or the lease has run out: the process died.
    'delivered', // The report was faster than the answer.
  ],
  unknown: [
    'accepted', // It was looked for and found, or a report came.
    'pending', // It was looked for, and is surely not there.
    'failed', // As above, and another channel has taken over. Or it is there, and did not arrive.
    'delivered', // A report came.
  ],
  accepted: ['delivered', 'failed'],
  failed: ['delivered'], // That it arrived is worth more than any word before.
  delivered: [],
};

/**
 * How far a provider's word says that a message has come, the words of both channels. A word that is not known says that the
 * provider has it.
 */
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

/** Whether the word says more than the one that is known. Reports are repeated for days, and overtake each other. */
export function movesForward(known: string | undefined, word: string): boolean {
  return known === undefined || progressOf(word) > progressOf(known);
}

export function stateOfStatus(word: string): 'accepted' | 'failed' | 'delivered' {
  const progress = progressOf(word);
  return progress >= 6 ? 'delivered' : progress === 5 ? 'failed' : 'accepted';
}
