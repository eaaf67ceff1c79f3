import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import type { ShowInstant } from '../../domain/wording.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { type Intent, OPEN_STATES } from '../../storage/records/budgets/intent-table.ts';
import { type PointOf, pointsOf } from '../../storage/records/in-transaction.ts';
import type { RecordStore } from '../../storage/records/record-store.ts';
import type { DeclaredBudget } from './read-budgets.ts';

const COMMITS = [
  'plan',
  /** Ends intents without sending a change. */
  'check',
  'validated',
  /** Marks the batch as `sending`, immediately before the request. */
  'sending',
  'answer',
  'approve',
  'decline',
  'undo',
] as const;

const SENDS = ['validate', 'mutate'] as const;

export type CrashPoint = PointOf<(typeof COMMITS)[number], (typeof SENDS)[number]>;

export const CRASH_POINTS = pointsOf(COMMITS, SENDS);

/** A test can throw at each crash point to simulate a crash. */
export type CrashPoints = (point: CrashPoint) => void;

export const passesEverywhere: CrashPoints = () => undefined;

export interface BudgetDeps {
  readonly state: RecordStore;
  readonly ads: AdsConnection;
  readonly clock: Clock;
  readonly log?: Log;
  /** Returns the reason for a freeze, or undefined. Called immediately before each request. */
  frozen(show?: ShowInstant): Promise<string | undefined>;
  declared(customer: CustomerId): ReadonlyMap<BudgetId, DeclaredBudget>;
  /** If undefined, amounts are not localised. */
  locale(customer: CustomerId): string | undefined;
  /** In milliseconds. After a change, the service can show the old amount for this time. */
  readonly readLagMs: number;
  readonly passes: CrashPoints;
  /** After this signal, no further change is sent. Changes that were sent are still recorded. */
  readonly stop?: AbortSignal;
  /** For tests only. Default: the interface's limit of operations per request. */
  readonly operationsMax?: number;
}

export function isOpen({ state }: Pick<Intent, 'state'>): boolean {
  return OPEN_STATES.some((open) => open === state);
}

export function mayHaveBeenSent({ state }: Pick<Intent, 'state'>): boolean {
  return state === 'sending' || state === 'unknown';
}
