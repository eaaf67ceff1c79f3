import type { Selection } from 'kysely';
import { instantText } from '../../../domain/civil-date.ts';
import { memberOf } from '../expressions.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import { EVENT_KINDS, type EventKind } from '../schema.ts';
import type { StateSchema } from '../state-schema.ts';
import { canonicalJson, chainHash, wellFormed } from './audit-chain.ts';
import { keepDecision } from './decision-projection.ts';
import { recordHead } from './record-head.ts';

export interface NewEvent {
  readonly intentId?: bigint | undefined;
  readonly kind: EventKind;
  /** A person's name, a rule such as "rule trim@1f2e…", "pacekeeper", or "someone else". */
  readonly actor: string;
  /** Must not contain secrets, because events are published and never deleted. */
  readonly detail: Readonly<Record<string, unknown>>;
}

const COLUMNS = ['id', 'intentId', 'kind', 'actor', 'detail', 'createdAt', 'previousHash', 'hash'] as const;

/** Somebody may have altered the stored event. `detail` is JSON text. */
export type BudgetEvent = Readonly<Selection<StateSchema, 'budgetEvent', (typeof COLUMNS)[number]>>;

/** Since version 2, events contain the `origin` of a change. */
const EVENT_VERSION = 2;

/**
 * Adds an event to the audit trail. Call this function in the transaction of the change, so that both are stored or
 * neither. Nobody should be able to alter an event unnoticed. So each event contains the hash of the event before.
 * Triggers refuse everything but the next event. A transaction of this kind is alone in writing, so two processes never
 * add the same number. Somebody with write access can drop triggers. So `audit verify` checks these, too, and computes
 * all hashes again. The chain alone does not show that the newest events are missing. So its head is also kept with
 * each run, in `runs/`, in the log and in digests. The hash covers the stored text, so no program may format
 * `detail` again.
 */
export function appendEvent(db: StateDb, event: NewEvent, nowMs: number): Promise<bigint> {
  return inTransaction(db, async (trx) => {
    const last = await recordHead(trx);
    const chained = {
      id: last.id + 1n,
      intentId: event.intentId,
      kind: event.kind,
      actor: wellFormed(event.actor),
      detail: canonicalJson({ ...event.detail, version: EVENT_VERSION }),
      createdAt: instantText(nowMs),
      previousHash: last.hash,
    };
    await trx
      .insertInto('budgetEvent')
      .values({ ...chained, hash: chainHash(chained) })
      .execute();
    await keepDecision(trx, chained);
    return chained.id;
  });
}

const PAGE = 1000;

/** Reads pages, so that many events do not fill the memory. */
export async function* allEvents(db: StateDb, first?: bigint): AsyncGenerator<BudgetEvent, void, undefined> {
  let after = first;
  for (;;) {
    const next = db.selectFrom('budgetEvent').select(COLUMNS).orderBy('id').limit(PAGE);
    const page = await (after === undefined ? next : next.where('id', '>', after)).execute();
    yield* page;
    after = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

export async function eventsOf(db: StateDb, intentId: bigint): Promise<BudgetEvent[]> {
  return db.selectFrom('budgetEvent').select(COLUMNS).where('intentId', '=', intentId).orderBy('id').execute();
}

/** These events, and the events of these changes, oldest first. `kinds` limits the second ones. */
export async function eventsAmong(
  db: StateDb,
  ids: readonly bigint[],
  intentIds: readonly bigint[],
  kinds: readonly EventKind[] = EVENT_KINDS,
): Promise<BudgetEvent[]> {
  return db
    .selectFrom('budgetEvent')
    .select(COLUMNS)
    .where(({ or, and, eb }) =>
      or([eb('id', 'in', [NONE, ...ids]), and([eb('intentId', 'in', [NONE, ...intentIds]), eb('kind', 'in', kinds)])]),
    )
    .orderBy('id')
    .execute();
}

/** The number of no event and of no change, because an empty list is no valid SQL on each engine. */
const NONE = 0n;

/** Events of the proposal and of its change, oldest first. */
export async function eventsOfProposal(
  db: StateDb,
  code: string,
  intentId: bigint | undefined,
): Promise<BudgetEvent[]> {
  return db
    .selectFrom('budgetEvent')
    .select(COLUMNS)
    .where(({ or, eb }) => {
      const own = eb(memberOf('detail', 'proposal_code'), '=', code);
      return intentId === undefined ? own : or([own, eb('intentId', '=', intentId)]);
    })
    .orderBy('id')
    .execute();
}

/** Each proposal has at most one event of these kinds. */
export const DECIDING_PROPOSALS = ['approved', 'declined', 'proposal_expired'] as const satisfies readonly EventKind[];

/** The key is the proposal's code. `why` is the reason of the decision. */
export async function proposalEnds(
  db: StateDb,
): Promise<ReadonlyMap<string, { readonly why: string | undefined; readonly reply: string | undefined }>> {
  const rows = await db
    .selectFrom('budgetEvent')
    .select([
      memberOf('detail', 'proposal_code').as('code'),
      memberOf<string | undefined>('detail', 'why').as('why'),
      memberOf<string | undefined>('detail', 'reply').as('reply'),
    ])
    .where('kind', 'in', DECIDING_PROPOSALS)
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ code, why, reply }) => [code, { why: why || undefined, reply }]));
}

/** The key is the id of a change. The value is the code of the limit that a person overrode. */
export async function beyondLimits(db: StateDb): Promise<ReadonlyMap<bigint, string>> {
  const rows = await db
    .selectFrom('budgetEvent')
    .select(['intentId', memberOf('detail', 'beyond_limits').as('code')])
    .where('kind', '=', 'planned')
    // Only people override limits, and only with an undo. Without this condition, each event would be parsed.
    .where('intentId', 'in', db.selectFrom('budgetIntent').select('id').where('origin', '=', 'undo'))
    .where(memberOf('detail', 'beyond_limits'), 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ intentId, code }) => (intentId === undefined ? [] : [[intentId, code]])));
}

export async function newestEvent(db: StateDb, kinds: readonly EventKind[]): Promise<BudgetEvent | undefined> {
  return db
    .selectFrom('budgetEvent')
    .select(COLUMNS)
    .where('kind', 'in', kinds)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The ids of the changes that were sent at least once, whatever was answered. */
export async function everSent(db: StateDb, ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const rows = await db
    .selectFrom('budgetEvent')
    .select('intentId')
    .where('kind', '=', 'sending')
    .where('intentId', 'in', ids)
    .execute();
  return new Set(rows.flatMap(({ intentId }) => intentId ?? []));
}

/** The time (UTC) of the last request. At most `now`, even if the clock was set back. */
export async function sentSince(db: StateDb, intentId: bigint, now: string): Promise<string | undefined> {
  const events = await db
    .selectFrom('budgetEvent')
    .select(['kind', 'createdAt'])
    .where('intentId', '=', intentId)
    .orderBy('id')
    .execute();
  const last = events.findLastIndex(({ kind }) => kind === 'sending');
  if (last < 0) return undefined;
  return events.slice(last).find(({ createdAt }) => createdAt <= now)?.createdAt ?? now;
}
