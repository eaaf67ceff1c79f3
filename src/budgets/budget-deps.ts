import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import type { Clock, Log } from '../domain/ports.ts';
import type { ShowInstant } from '../domain/wording.ts';
import { type Intent, OPEN_STATES } from '../store/budgets/intent-table.ts';
import { type PointOf, pointsOf } from '../store/sqlite/in-transaction.ts';
import type { StateFile } from '../store/sqlite/open-state.ts';
import type { DeclaredBudget } from './read-budgets.ts';

const COMMITS = [
  'plan',
  /** Intents that reading the budgets ended: confirmed, superseded, expired. */
  'check',
  'validated',
  /** The whole batch, immediately before the change is sent. */
  'sending',
  /** The answer to the change, with the alerts. */
  'answer',
  'approve',
  /** A proposal that ends without an intent. */
  'decline',
  'undo',
] as const;

const SENDS = ['validate', 'mutate'] as const;

export type CrashPoint = PointOf<(typeof COMMITS)[number], (typeof SENDS)[number]>;

export const CRASH_POINTS = pointsOf(COMMITS, SENDS);

/** Called at each place. A test throws where it wants the process to end. */
export type CrashPoints = (point: CrashPoint) => void;

export const passesEverywhere: CrashPoints = () => undefined;

export interface BudgetDeps {
  readonly state: StateFile;
  readonly ads: AdsConnection;
  readonly clock: Clock;
  readonly log?: Log;
  /** Why nothing may be sent; asked immediately before each request. */
  frozen(show?: ShowInstant): Promise<string | undefined>;
  declared(customer: CustomerId): ReadonlyMap<BudgetId, DeclaredBudget>;
  /** Undefined means the plain form. */
  locale(customer: CustomerId): string | undefined;
  /** How far a reading of budgets may lag behind a change; 0 means never. */
  readonly readLagMs: number;
  readonly passes: CrashPoints;
  /** Aborted when the run must stop: no further change is sent, and changes under way are finished. */
  readonly stop?: AbortSignal;
  /** Per request; the interface's limit unless a test lowers it. */
  readonly operationsMax?: number;
}

export type Application =
  | { readonly kind: 'applied' | 'confirmed' }
  | { readonly kind: 'rejected' | 'unknown' | 'superseded' | 'expired'; readonly reason: string }
  /** Certainly not made, for a reason that may pass. The next run decides anew. */
  | { readonly kind: 'postponed'; readonly reason: string };

export function isOpen({ state }: Pick<Intent, 'state'>): boolean {
  return OPEN_STATES.some((open) => open === state);
}

export function mayHaveBeenSent({ state }: Pick<Intent, 'state'>): boolean {
  return state === 'sending' || state === 'unknown';
}
