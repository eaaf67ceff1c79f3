import { InvariantError } from '../domain/errors.ts';
import type { IntentState } from './schema.ts';

/**
 * What an intent may become. Nothing is sent before `sending` is committed, and what was ever without an answer is never
 * again as if it had not been sent.
 */
export const INTENT_TRANSITIONS: Readonly<Record<IntentState, readonly IntentState[]>> = {
  planned: [
    'validated', // The service would accept it.
    'planned', // The service could not be asked; why is written down.
    'rejected', // The service would refuse it.
    'superseded', // Someone else has changed the budget since the decision.
    'expired', // It was not sent in time, or may not be sent any more.
  ],
  validated: [
    'sending', // Committed before the request leaves.
    'planned', // It has to be asked about again before it may be sent.
    'superseded', // As above.
    'expired', // As above.
  ],
  sending: [
    'applied', // The service says that it was done.
    'rejected', // The service says that it was not done, and will not be.
    'planned', // It was surely not done, for a reason that may pass. Never after an `unknown`.
    'unknown', // No answer, one that proves nothing, or the process died: its next run finds it here.
  ],
  unknown: [
    'unknown', // One more try to find out has told nothing.
    'confirmed', // Read back: the target is there.
    'sending', // Read back: the old amount is there. Or it cannot be read: the same amount again does no harm.
    'superseded', // Read back: neither is there.
    'rejected', // Surely not made, and refused now.
  ],
  expired: [],
  applied: [],
  confirmed: [],
  rejected: [],
  superseded: [],
};

/** Whether the state is one of those that a later run has to bring to an end. */
export const OPEN_STATES = ['planned', 'validated', 'sending', 'unknown'] as const satisfies readonly IntentState[];

/** Throws `InvariantError` for a step that is none of {@link INTENT_TRANSITIONS}. */
export function assertTransition(id: bigint, from: IntentState, to: IntentState): void {
  const known: readonly IntentState[] = INTENT_TRANSITIONS[from];
  if (known.includes(to)) return;
  throw new InvariantError(`Intent ${id} is ${from} and cannot become ${to}.`);
}
