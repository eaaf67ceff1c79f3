import type { Transaction } from 'kysely';
import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { Clock } from '../domain/clock.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import type { Log } from '../domain/log.ts';
import type { ShowInstant } from '../domain/show-instant.ts';
import { commitAtPoints } from '../store/commit-at-points.ts';
import type { StateFile } from '../store/open-state.ts';
import type { StateSchema } from '../store/state-schema.ts';
import type { CommitName, CrashPoints } from './crash-points.ts';
import type { DeclaredBudget } from './read-budgets.ts';

/** What the send path works with. */
export interface BudgetDeps {
  readonly state: StateFile;
  readonly ads: AdsConnection;
  readonly clock: Clock;
  readonly log?: Log;
  /** Why nothing may be sent now, asked immediately before each request; undefined when it may. */
  frozen(show?: ShowInstant): Promise<string | undefined>;
  /** What the settings declare for an account whose budgets may not be readable. */
  declared(customer: CustomerId): ReadonlyMap<BudgetId, DeclaredBudget>;
  /** How the account's amounts are written in alerts; undefined for the plain form. */
  locale(customer: CustomerId): string | undefined;
  /** How long a reading of budgets may lag behind a change, milliseconds; 0 where readings are never old. */
  readonly readLagMs: number;
  readonly passes: CrashPoints;
  /** Given when the run was asked to stop: no further change is sent then, and what is under way is brought to its end. */
  readonly stop?: AbortSignal;
  /** Operations in one request; the interface's limit unless a test lowers it. */
  readonly operationsMax?: number;
}

/** What became of one attempt to carry an intent out. */
export type Application =
  | { readonly kind: 'applied' | 'confirmed' }
  | { readonly kind: 'rejected' | 'unknown' | 'superseded' | 'expired'; readonly reason: string }
  /** Surely not done, for a reason that may pass: the next run decides anew. */
  | { readonly kind: 'postponed'; readonly reason: string };

/** One transaction of the send path, with the crash points at both sides of its commit. */
export function commit<Result>(
  { state, passes }: Pick<BudgetDeps, 'state' | 'passes'>,
  name: CommitName,
  work: (trx: Transaction<StateSchema>) => Promise<Result>,
): Promise<Result> {
  return commitAtPoints<CommitName, Result>(state, passes, name, work);
}
