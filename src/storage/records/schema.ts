import type { Selectable } from 'kysely';
import type { StateSchema } from './state-schema.ts';

/** `live` spends real money. `sandbox` is simulated. */
export type TargetKind = StateSchema['run']['targetKind'];

export type WithdrawnBecause = NonNullable<Selectable<StateSchema['outbox']>['withdrawnBecause']>;

/** `cut`: other slices replaced this slice. */
export type SliceState = StateSchema['slice']['state'];

export type IntentState = StateSchema['budgetIntent']['state'];

export type ProposalState = StateSchema['budgetProposal']['state'];

/** `recorded`: a change by an old version. `adopted`: taken from a published file. */
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
