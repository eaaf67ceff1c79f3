import type { Selectable } from 'kysely';
import type { StateSchema } from './state-schema.ts';

/** `live` spends real money. `sandbox` is simulated. */
export type TargetKind = StateSchema['run']['targetKind'];

export type WithdrawnBecause = NonNullable<Selectable<StateSchema['outbox']>['withdrawnBecause']>;

/**
 * A slice begins as `planned` and ends as `done`, `failed` or `not_offered`. Smaller slices have replaced a `cut`
 * slice.
 */
export type SliceState = StateSchema['slice']['state'];

/** `INTENT_TRANSITIONS` in `budgets/intent-table.ts` lists the transitions. */
export type IntentState = StateSchema['budgetIntent']['state'];

export type ProposalState = StateSchema['budgetProposal']['state'];

/**
 * `planned` to `expired` are states of a change. `recorded`: a change by a version without events. `proposal_expired`:
 * nobody decided in time. `adopted`: the record comes from a published file. `settings_widened`: the settings allow
 * more than in the previous run.
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
