import type { Selection } from 'kysely';
import { instantText } from '../domain/civil-date.ts';
import type { Micros } from '../domain/micros.ts';
import { columnFacts } from './canonical-json.ts';
import { budgetsChangedFor, type ChangeFilter } from './change-filter.ts';
import { appendEvent } from './event-table.ts';
import { inTransaction } from './in-transaction.ts';
import type { StateDb } from './open-state.ts';
import { lastSet } from './past-changes.ts';
import type { StateSchema } from './state-schema.ts';

const SEEN_COLUMNS = [
  'customerId',
  'budgetId',
  // The account's day on which it was seen.
  'accountDay',
  'expectedMicros as expected',
  'foundMicros as found',
  // The change of ours that it came in the way of.
  'intentId',
  'eventId',
  'seenAt',
] as const;

/** A foreign change as it was written down. */
export type SeenForeignChange = Readonly<Selection<StateSchema, 'foreignChange', (typeof SEEN_COLUMNS)[number]>>;

/** A budget that has another amount than we last set: someone else changed it. */
export type ForeignChange = Omit<SeenForeignChange, 'eventId' | 'seenAt' | 'intentId'> & {
  readonly intentId?: bigint | undefined;
  /** What the settings declare for the budget now. */
  readonly declared?: Micros | undefined;
};

/**
 * Writes down what was found, with its event: from now on our ledger knows the amount. False, and nothing is written,
 * when the ledger has it already.
 */
export function recordForeignChange(db: StateDb, change: ForeignChange, nowMs: number): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const known = (await lastSet(trx, change.customerId, change.budgetId)).get(change.budgetId);
    if (known?.to === change.found || change.expected === change.found) return false;
    const row = {
      customerId: change.customerId,
      budgetId: change.budgetId,
      accountDay: change.accountDay,
      expectedMicros: change.expected,
      foundMicros: change.found,
      declaredMicros: change.declared,
    };
    const { intentId } = change;
    const event = { intentId, kind: 'foreign_change', actor: 'someone else', detail: columnFacts(row) } as const;
    const eventId = await appendEvent(trx, event, nowMs);
    await trx
      .insertInto('foreignChange')
      .values({ ...row, eventId, intentId, seenAt: instantText(nowMs) })
      .execute();
    return true;
  });
}

/** Every row as its event tells it: amounts and ids as text. */
export async function foreignChanges(
  db: StateDb,
): Promise<{ readonly eventId: bigint; readonly facts: Readonly<Record<string, string | null>> }[]> {
  const rows = await db
    .selectFrom('foreignChange')
    .select(['eventId', 'customerId', 'budgetId', 'accountDay', 'expectedMicros', 'foundMicros', 'declaredMicros'])
    .orderBy('id')
    .execute();
  return rows.map(({ eventId, ...row }) => ({ eventId, facts: columnFacts(row) }));
}

/** The foreign changes that the filter lets through, the newest first. */
export async function foreignChangesOf(db: StateDb, filter: ChangeFilter = {}): Promise<SeenForeignChange[]> {
  const { customers = [], campaignId, limit } = filter;
  let query = db.selectFrom('foreignChange').select(SEEN_COLUMNS).orderBy('id', 'desc');
  if (customers.length > 0) query = query.where('customerId', 'in', customers);
  if (campaignId !== undefined) query = query.where('budgetId', 'in', budgetsChangedFor(db, campaignId));
  if (limit !== undefined) query = query.limit(limit);
  return query.execute();
}
