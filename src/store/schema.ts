import type { Selectable } from 'kysely';
import type { StateSchema } from './state-schema.ts';

/** A simulated service, or one where real money is spent. */
export type TargetKind = StateSchema['run']['targetKind'];

/** Why something is not told after all. */
export type WithdrawnBecause = NonNullable<Selectable<StateSchema['outbox']>['withdrawnBecause']>;

/** planned → done | failed | not_offered, or cut into slices of fewer days that stand beside it. */
export type SliceState = StateSchema['slice']['state'];

/** What may follow what, and why, is in `intent-states.ts`. */
export type IntentState = StateSchema['budgetIntent']['state'];

export type ProposalState = StateSchema['budgetProposal']['state'];

/**
 * What an event says has happened. The state that an intent came to; `recorded` for what an intent of before there were
 * events had come to. A proposal was made, approved, declined, or ended without a person. Changes were frozen. A budget
 * has another amount than we last set. A rule's change was refused, or is only shown. The record was taken over from a published
 * file, or a copy was put back. A run saw settings that let more be changed than those of the run before.
 */
export const EVENT_KINDS = [
  'planned',
  'validated',
  'sending',
  'applied',
  'rejected',
  'unknown',
  'confirmed',
  'superseded',
  'expired',
  'recorded',
  'proposed',
  'approved',
  'declined',
  'proposal_expired',
  'refused',
  'would_change',
  'frozen',
  'unfrozen',
  'freeze_file_found',
  'freeze_file_gone',
  'foreign_change',
  'adopted',
  'restored',
  'settings_widened',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];
