import { type CivilDate, civilDate, instantText } from '../domain/civil-date.ts';
import { type BudgetId, budgetId, type CustomerId, customerId } from '../domain/ids.ts';
import { type Micros, micros } from '../domain/micros.ts';
import { budgetsChangedFor, type ChangeFilter } from './change-filter.ts';
import { appendEvent } from './event-table.ts';
import { inTransaction } from './in-transaction.ts';
import type { StateDb } from './open-state.ts';
import { lastSet } from './past-changes.ts';

/** A budget that has another amount than we last set: someone else changed it. */
export interface ForeignChange {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  /** The account's day on which it was seen. */
  readonly accountDay: CivilDate;
  readonly expected: Micros;
  readonly found: Micros;
  /** What the settings declare for the budget now. */
  readonly declared?: Micros | undefined;
  /** The intent that it came in the way of. */
  readonly intentId?: bigint | undefined;
}

/**
 * Writes down what was found, with its event: from now on our ledger knows the amount. False, and nothing is written,
 * when the ledger has it already.
 */
export function recordForeignChange(db: StateDb, change: ForeignChange, nowMs: number): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const known = (await lastSet(trx, change.customerId, change.budgetId)).get(change.budgetId);
    if (known?.to === change.found || change.expected === change.found) return false;
    const row = {
      customer_id: BigInt(change.customerId),
      budget_id: BigInt(change.budgetId),
      account_day: change.accountDay,
      expected_micros: change.expected,
      found_micros: change.found,
      declared_micros: change.declared ?? null,
    };
    const { intentId } = change;
    const kind = 'foreign_change';
    const eventId = await appendEvent(trx, { intentId, kind, actor: 'someone else', detail: row }, nowMs);
    await trx
      .insertInto('foreign_change')
      .values({ ...row, event_id: eventId, intent_id: intentId ?? null, seen_at: instantText(nowMs) })
      .execute();
    return true;
  });
}

/** Every row as its event tells it: amounts and ids as text. */
export async function foreignChanges(
  db: StateDb,
): Promise<{ readonly eventId: bigint; readonly facts: Readonly<Record<string, string | null>> }[]> {
  const columns = [
    'customer_id',
    'budget_id',
    'account_day',
    'expected_micros',
    'found_micros',
    'declared_micros',
  ] as const;
  const rows = await db
    .selectFrom('foreign_change')
    .select(['event_id', ...columns])
    .orderBy('id')
    .execute();
  return rows.map(({ event_id: eventId, ...row }) => {
    const facts = Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]);
    return { eventId, facts: Object.fromEntries(facts) };
  });
}

/** A foreign change as it was written down. */
export interface SeenForeignChange extends Omit<ForeignChange, 'declared'> {
  readonly eventId: bigint;
  /** Instant, UTC. */
  readonly seenAt: string;
}

/** The foreign changes that the filter lets through, the newest first. */
export async function foreignChangesOf(db: StateDb, filter: ChangeFilter = {}): Promise<SeenForeignChange[]> {
  const { customers = [], campaignId, limit } = filter;
  let query = db.selectFrom('foreign_change').selectAll().orderBy('id', 'desc');
  if (customers.length > 0) query = query.where('customer_id', 'in', customers.map(BigInt));
  if (campaignId !== undefined) query = query.where('budget_id', 'in', budgetsChangedFor(db, campaignId));
  if (limit !== undefined) query = query.limit(limit);
  return (await query.execute()).map((row) => ({
    customerId: customerId(String(row.customer_id)),
    budgetId: budgetId(String(row.budget_id)),
    accountDay: civilDate(row.account_day),
    expected: micros(row.expected_micros),
    found: micros(row.found_micros),
    intentId: row.intent_id ?? undefined,
    eventId: row.event_id,
    seenAt: row.seen_at,
  }));
}
