import type { Selection } from 'kysely';
import { instantText } from '../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';
import type { StateSchema } from './state-schema.ts';

// The account's day on which it was seen first, and the instant of the first reading that said so.
const SUSPECTED_COLUMNS = [
  'budgetId',
  'accountDay',
  'expectedMicros as expected',
  'foundMicros as found',
  'seenAt',
] as const;

/** A budget that showed another amount than our record has, once: someone else changed it, or the reading was old. */
export type SuspectedChange = Readonly<Selection<StateSchema, 'suspectedChange', (typeof SUSPECTED_COLUMNS)[number]>>;

export type NewSuspicion = Omit<SuspectedChange, 'seenAt'>;

/** What is suspected of an account's budgets. */
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

/** Writes down a suspicion in place of an earlier one of the same budget. */
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

/** Forgets what was suspected of a budget: it is certain now, or a reading agreed with our record again. */
export async function dropSuspicion(db: StateDb, customer: CustomerId, id: BudgetId): Promise<void> {
  await db.deleteFrom('suspectedChange').where('customerId', '=', customer).where('budgetId', '=', id).execute();
}
