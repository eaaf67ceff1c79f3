import type { Transaction } from 'kysely';
import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import type { Clock, Log } from '../domain/ports.ts';
import type { ShowInstant } from '../domain/wording.ts';
import { type Intent, OPEN_STATES } from '../store/budgets/intent-table.ts';
import { commitAtPoints } from '../store/sqlite/in-transaction.ts';
import type { StateFile } from '../store/sqlite/open-state.ts';
import type { StateSchema } from '../store/state-schema.ts';
import type { DeclaredBudget } from './read-budgets.ts';

/** The commits of the send path, each with a place before it and one after it. */
const COMMITS = [
  /** New intents. */
  'plan',
  /** What reading the budgets has ended: confirmed, superseded, expired. */
  'check',
  /** What the validation has answered. */
  'validated',
  /** The whole batch, immediately before the change is sent. */
  'sending',
  /** What the change has answered, with the alerts. */
  'answer',
  /** An approved proposal and its intent. */
  'approve',
  /** A proposal that ends without an intent. */
  'decline',
  /** An undo's intent. */
  'undo',
] as const;

/** The requests of the send path. */
const SENDS = ['validate', 'mutate'] as const;

type CommitName = (typeof COMMITS)[number];
export type SendName = (typeof SENDS)[number];

/** A place of the send path where a process may end. */
export type CrashPoint = `${CommitName}:${'before' | 'after'}-commit` | `${SendName}:${'before-send' | 'after-answer'}`;

/** Every edge of the send path: before and after each commit, each send and each answer. */
export const CRASH_POINTS: readonly CrashPoint[] = [
  ...COMMITS.flatMap((name) => [`${name}:before-commit`, `${name}:after-commit`] as const),
  ...SENDS.flatMap((name) => [`${name}:before-send`, `${name}:after-answer`] as const),
];

/** Told at each place that is passed. A test throws where it wants the process to end. */
export type CrashPoints = (point: CrashPoint) => void;

/** The product ends nowhere of its own accord. */
export const passesEverywhere: CrashPoints = () => undefined;

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

/** Whether what became of it is not known yet. */
export function isOpen({ state }: Pick<Intent, 'state'>): boolean {
  return OPEN_STATES.some((open) => open === state);
}

/** Whether a request for the change may have reached the service. */
export function mayHaveBeenSent({ state }: Pick<Intent, 'state'>): boolean {
  return state === 'sending' || state === 'unknown';
}
