import type { Selectable } from 'kysely';
import type { StateSchema } from './state-schema.ts';

/** A simulated service, or a live one that spends real money. */
export type TargetKind = StateSchema['run']['targetKind'];

export type WithdrawnBecause = NonNullable<Selectable<StateSchema['outbox']>['withdrawnBecause']>;

/** Begins as `planned`, ends as `done`, `failed` or `not_offered`. A `cut` slice was replaced by smaller slices. */
export type SliceState = StateSchema['slice']['state'];

/** For the transitions, see `INTENT_TRANSITIONS` in `budgets/intent-table.ts`. */
export type IntentState = StateSchema['budgetIntent']['state'];

export type ProposalState = StateSchema['budgetProposal']['state'];

/**
 * `planned` to `expired`: states of a change. `recorded`: a change from before events existed.
 * `proposal_expired`: nobody decided in time. `adopted`: taken over from a published file.
 * `settings_widened`: the settings allow more than in the previous run.
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
