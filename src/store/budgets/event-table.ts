import type { Selection } from 'kysely';
import { instantText } from '../../domain/civil-date.ts';
import type { EventKind } from '../schema.ts';
import { keepDecision } from '../sqlite/decision-projection.ts';
import { memberOf } from '../sqlite/expressions.ts';
import { inTransaction } from '../sqlite/in-transaction.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import type { StateSchema } from '../state-schema.ts';
import { canonicalJson, chainHash, recordHead, wellFormed } from './audit-chain.ts';

export interface NewEvent {
  readonly intentId?: bigint | undefined;
  readonly kind: EventKind;
  /** The rule, such as "rule trim@1f2e…", or a person's name. */
  readonly actor: string;
  /** Amounts are bigints. Must not contain secrets: events are published and never deleted. */
  readonly detail: Readonly<Record<string, unknown>>;
}

const COLUMNS = ['id', 'intentId', 'kind', 'actor', 'detail', 'createdAt', 'previousHash', 'hash'] as const;

/** An event as stored. Somebody may have altered it. `detail` is JSON text. */
export type BudgetEvent = Readonly<Selection<StateSchema, 'budgetEvent', (typeof COLUMNS)[number]>>;

/**
 * Events of version 2 contain the `origin` of a change. For older events, `budgets/replay-events.ts` infers it from
 * other events.
 */
const EVENT_VERSION = 2;

/**
 * Call this in the transaction of the change. The transaction has the write lock, so no other process can add an
 * event.
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

/**
 * Yields all events, or those with an id above `first`, in order. Reads pages, so that a long record does not fill the
 * memory.
 */
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

/** For each proposal's code: why the proposal was decided or expired, and the reply that decided it. */
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
    .where('kind', 'in', ['approved', 'declined', 'proposal_expired'])
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ code, why, reply }) => [code, { why: why || undefined, reply }]));
}

/** For each change in which a person overrode a limit: the limit's code. Keys are ids of changes. */
export async function beyondLimits(db: StateDb): Promise<ReadonlyMap<bigint, string>> {
  const rows = await db
    .selectFrom('budgetEvent')
    .select(['intentId', memberOf('detail', 'beyond_limits').as('code')])
    .where('kind', '=', 'planned')
    .where(memberOf('detail', 'beyond_limits'), 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ intentId, code }) => (intentId === undefined ? [] : [[intentId, code]])));
}

/** Events that concern all budgets or the record itself, newest first. */
export async function eventsOfRecord(db: StateDb, limit: number): Promise<BudgetEvent[]> {
  const all = db.selectFrom('budgetEvent').select(COLUMNS).where('kind', 'in', KINDS_OF_RECORD);
  return all.orderBy('id', 'desc').limit(limit).execute();
}

const KINDS_OF_RECORD: readonly EventKind[] = [
  'frozen',
  'unfrozen',
  'freeze_file_found',
  'freeze_file_gone',
  'adopted',
  'restored',
  'settings_widened',
];

export async function newestEvent(db: StateDb, kinds: readonly EventKind[]): Promise<BudgetEvent | undefined> {
  return db
    .selectFrom('budgetEvent')
    .select(COLUMNS)
    .where('kind', 'in', kinds)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The time (UTC) of the last request that was not refused. Returns at most `now`, in case the clock was set back. */
export async function sentSince(db: StateDb, intentId: bigint, now: string): Promise<string | undefined> {
  const events = await db
    .selectFrom('budgetEvent')
    .select(['kind', 'createdAt', memberOf<string | undefined>('detail', '$.answer.outcome').as('outcome')])
    .where('intentId', '=', intentId)
    .orderBy('id')
    .execute();
  const isRefused = (index: number) => events[index + 1]?.outcome === 'not_processed';
  const last = events.findLastIndex(({ kind }, index) => kind === 'sending' && !isRefused(index));
  if (last < 0) return undefined;
  return events.slice(last).find(({ createdAt }) => createdAt <= now)?.createdAt ?? now;
}
