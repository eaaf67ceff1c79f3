import { type SqlBool, sql } from 'kysely';
import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import type { BudgetId, CustomerId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/micros.ts';
import { excluded } from '../expressions.ts';
import type { StateDb } from '../record-store.ts';

export interface LastReading {
  readonly to: Micros;
  /** When the request began, in UTC. */
  readonly readAt: string;
}

/** The last amount that was read of each budget. */
export async function lastReadings(db: StateDb, customer: CustomerId): Promise<ReadonlyMap<BudgetId, LastReading>> {
  const rows = await db
    .selectFrom('budgetReading')
    .select(['budgetId', 'amountMicros as to', 'readAt'])
    .where('customerId', '=', customer)
    .execute();
  return new Map(rows.map(({ budgetId, ...reading }) => [budgetId, reading]));
}

/** A reading never replaces a later one, except one from the future, which a wrong clock has left. */
export async function keepReadings(
  trx: StateDb,
  customerId: CustomerId,
  amounts: readonly (readonly [BudgetId, Micros])[],
  { readAt, now }: { readonly readAt: string; readonly now: string },
): Promise<void> {
  for (const some of chunksOf(amounts, ROWS_PER_STATEMENT)) {
    await trx
      .insertInto('budgetReading')
      .values(some.map(([budgetId, amountMicros]) => ({ customerId, budgetId, amountMicros, readAt })))
      .onConflict((conflict) =>
        conflict
          .columns(['customerId', 'budgetId'])
          .doUpdateSet(excluded('amountMicros', 'readAt'))
          .where(
            sql<SqlBool>`(budget_reading.read_at <= excluded.read_at OR budget_reading.read_at > ${sql.lit(now)})`,
          ),
      )
      .execute();
  }
}
