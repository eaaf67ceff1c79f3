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
  /** The commit of intents that end after the budgets were read: as confirmed, superseded or expired. */
  'check',
  'validated',
  /** The commit of the whole batch as `sending`, immediately before the change is sent. */
  'sending',
  /** The commit of the answer to the change, with the alerts. */
  'answer',
  'approve',
  /** The commit of a proposal that ends without an intent. */
  'decline',
  'undo',
] as const;

const SENDS = ['validate', 'mutate'] as const;

export type CrashPoint = PointOf<(typeof COMMITS)[number], (typeof SENDS)[number]>;

export const CRASH_POINTS = pointsOf(COMMITS, SENDS);

/** Called at each crash point. A test throws there to simulate a crash. */
export type CrashPoints = (point: CrashPoint) => void;

export const passesEverywhere: CrashPoints = () => undefined;

export interface BudgetDeps {
  readonly state: StateFile;
  readonly ads: AdsConnection;
  readonly clock: Clock;
  readonly log?: Log;
  /** Returns the reason for a freeze. Undefined without a freeze. Called immediately before each request. */
  frozen(show?: ShowInstant): Promise<string | undefined>;
  declared(customer: CustomerId): ReadonlyMap<BudgetId, DeclaredBudget>;
  /** If undefined, amounts are not localised. */
  locale(customer: CustomerId): string | undefined;
  /** The maximum time, in milliseconds, for which the service shows an old amount after a change. */
  readonly readLagMs: number;
  readonly passes: CrashPoints;
  /** Aborted when the run must stop. Then no further change is sent, but changes under way are finished. */
  readonly stop?: AbortSignal;
  /** The maximum of operations per request. Only tests set it. Default: the limit of the interface. */
  readonly operationsMax?: number;
}

export type Application =
  | { readonly kind: 'applied' | 'confirmed' }
  | { readonly kind: 'rejected' | 'unknown' | 'superseded' | 'expired'; readonly reason: string }
  /** The change was certainly not made, for a temporary reason. The next run decides again. */
  | { readonly kind: 'postponed'; readonly reason: string };

export function isOpen({ state }: Pick<Intent, 'state'>): boolean {
  return OPEN_STATES.some((open) => open === state);
}

export function mayHaveBeenSent({ state }: Pick<Intent, 'state'>): boolean {
  return state === 'sending' || state === 'unknown';
}
