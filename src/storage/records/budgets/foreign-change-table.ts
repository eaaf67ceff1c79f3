import type { Selection } from 'kysely';
import { instantText } from '../../../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/micros.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';
import { columnFacts } from './audit-chain.ts';
import { appendEvent } from './event-table.ts';
import { budgetsChangedFor, type ChangeFilter, lastSet } from './past-changes.ts';

const SEEN_COLUMNS = [
  'customerId',
  'budgetId',
  // The day in the account's calendar when pacekeeper noticed the change.
  'accountDay',
  'expectedMicros as expected',
  'foundMicros as found',
  // Our unfinished change of the same budget. NULL if there was none.
  'intentId',
  'eventId',
  'seenAt',
] as const;

export type SeenForeignChange = Readonly<Selection<StateSchema, 'foreignChange', (typeof SEEN_COLUMNS)[number]>>;

/** Someone else changed the budget: its amount differs from our last recorded amount. */
export type ForeignChange = Omit<SeenForeignChange, 'eventId' | 'seenAt' | 'intentId'> & {
  readonly intentId?: bigint | undefined;
  /** When the expected amount was last read, in UTC. Undefined if a known change had set it. */
  readonly expectedAt?: string | undefined;
  readonly declared?: Micros | undefined;
};

/** Returns false if the found amount is the expected amount or the last recorded amount. */
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
      ...(change.expectedAt && { expectedAt: change.expectedAt }),
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

export async function foreignChanges(
  db: StateDb,
): Promise<{ readonly eventId: bigint; readonly facts: Readonly<Record<string, string | null>> }[]> {
  const rows = await db
    .selectFrom('foreignChange')
    .select([
      'eventId',
      'customerId',
      'budgetId',
      'accountDay',
      'expectedMicros',
      'foundMicros',
      'declaredMicros',
      'expectedAt',
    ])
    .orderBy('id')
    .execute();
  return rows.map(({ eventId, ...row }) => ({ eventId, facts: columnFacts(row) }));
}

export async function foreignChangesOf(db: StateDb, filter: ChangeFilter = {}): Promise<SeenForeignChange[]> {
  const { customers = [], campaignId, limit } = filter;
  let query = db.selectFrom('foreignChange').select(SEEN_COLUMNS).orderBy('id', 'desc');
  if (customers.length > 0) query = query.where('customerId', 'in', customers);
  if (campaignId !== undefined) query = query.where('budgetId', 'in', budgetsChangedFor(db, campaignId));
  if (limit !== undefined) query = query.limit(limit);
  return query.execute();
}

export async function foreignChangesSeen(db: StateDb, eventIds: readonly bigint[]): Promise<SeenForeignChange[]> {
  return db.selectFrom('foreignChange').select(SEEN_COLUMNS).where('eventId', 'in', eventIds).execute();
}

// `accountDay` and `seenAt` are the day and the time (UTC) when the difference was seen.
const SUSPECTED_COLUMNS = [
  'budgetId',
  'accountDay',
  'expectedMicros as expected',
  'foundMicros as found',
  'seenAt',
] as const;

/** The amount differed once. Either someone else changed the budget, or the answer was outdated. */
export type SuspectedChange = Readonly<Selection<StateSchema, 'suspectedChange', (typeof SUSPECTED_COLUMNS)[number]>>;

export type NewSuspicion = Omit<SuspectedChange, 'seenAt'>;

export async function suspectedChanges(
  db: StateDb,
  customer: CustomerId,
): Promise<ReadonlyMap<BudgetId, SuspectedChange>> {
  const rows = await db
    .selectFrom('suspectedChange')
    .select(SUSPECTED_COLUMNS)
    .where('customerId', '=', customer)
    .execute();
  return new Map(rows.map((row) => [row.budgetId, row]));
}

export async function suspectChange(
  db: StateDb,
  customer: CustomerId,
  { budgetId, accountDay, expected, found }: NewSuspicion,
  nowMs: number,
): Promise<void> {
  await dropSuspicion(db, customer, budgetId);
  await db
    .insertInto('suspectedChange')
    .values({
      customerId: customer,
      budgetId,
      accountDay,
      expectedMicros: expected,
      foundMicros: found,
      seenAt: instantText(nowMs),
    })
    .execute();
}

export async function dropSuspicion(db: StateDb, customer: CustomerId, id: BudgetId): Promise<void> {
  await db.deleteFrom('suspectedChange').where('customerId', '=', customer).where('budgetId', '=', id).execute();
}
