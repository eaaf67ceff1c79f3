import { type CivilDate, civilDate, instantText } from '../domain/civil-date.ts';
import { type BudgetId, budgetId, type CustomerId } from '../domain/ids.ts';
import { type Micros, micros } from '../domain/micros.ts';
import type { StateDb } from './open-state.ts';

/** A budget that showed another amount than our record has, once: someone else changed it, or the reading was old. */
export interface SuspectedChange {
  readonly budgetId: BudgetId;
  /** The account's day on which it was seen first. */
  readonly accountDay: CivilDate;
  readonly expected: Micros;
  readonly found: Micros;
  /** Instant, UTC: of the first reading that said so. */
  readonly seenAt: string;
}

export type NewSuspicion = Omit<SuspectedChange, 'seenAt'>;

/** What is suspected of an account's budgets. */
export async function suspectedChanges(
  db: StateDb,
  customer: CustomerId,
): Promise<ReadonlyMap<BudgetId, SuspectedChange>> {
  const rows = await db
    .selectFrom('suspected_change')
    .selectAll()
    .where('customer_id', '=', BigInt(customer))
    .execute();
  return new Map(
    rows.map((row) => {
      const id = budgetId(row.budget_id.toString());
      const amounts = { expected: micros(row.expected_micros), found: micros(row.found_micros) };
      return [id, { budgetId: id, accountDay: civilDate(row.account_day), ...amounts, seenAt: row.seen_at }];
    }),
  );
}

/** Writes down a suspicion in place of an earlier one of the same budget. */
export async function suspectChange(
  db: StateDb,
  customer: CustomerId,
  { budgetId: id, accountDay, expected, found }: NewSuspicion,
  nowMs: number,
): Promise<void> {
  await dropSuspicion(db, customer, id);
  await db
    .insertInto('suspected_change')
    .values({
      customer_id: BigInt(customer),
      budget_id: BigInt(id),
      account_day: accountDay,
      expected_micros: expected,
      found_micros: found,
      seen_at: instantText(nowMs),
    })
    .execute();
}

/** Forgets what was suspected of a budget: it is certain now, or a reading agreed with our record again. */
export async function dropSuspicion(db: StateDb, customer: CustomerId, id: BudgetId): Promise<void> {
  await db
    .deleteFrom('suspected_change')
    .where('customer_id', '=', BigInt(customer))
    .where('budget_id', '=', BigInt(id))
    .execute();
}
