import type { Selectable } from 'kysely';
import type { StateSchema } from './state-schema.ts';

/** A simulated service, or one that spends real money. */
export type TargetKind = StateSchema['run']['targetKind'];

export type WithdrawnBecause = NonNullable<Selectable<StateSchema['outbox']>['withdrawnBecause']>;

/** planned → done | failed | not_offered, or cut into smaller slices beside it. */
export type SliceState = StateSchema['slice']['state'];

/** Transitions: `INTENT_TRANSITIONS` in `budgets/intent-table.ts`. */
export type IntentState = StateSchema['budgetIntent']['state'];

export type ProposalState = StateSchema['budgetProposal']['state'];

/**
 * `planned` to `expired`: states of an intent. `recorded`: an intent older than events. `proposal_expired`: no person
 * decided. `adopted`: taken over from a published file. `settings_widened`: the settings allow more than in the run
 * before.
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
