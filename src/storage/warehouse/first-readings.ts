import { sql } from 'kysely';
import type { StateDb } from '../records/record-store.ts';
import { CUSTOMER_COLUMN, columnOfField, hasDays, identifier, storedQueries } from './query-table.ts';

/**
 * While no reading of a budget is kept, the amounts in the tables of the last run are the readings. So a change by others
 * is noticed also since a run of an earlier version. Call this function before the tables are filled again.
 */
export async function keepFirstReadings(db: StateDb): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if ((await trx.selectFrom('budgetReading').select('budgetId').limit(1).execute()).length > 0) return;
    for (const query of await storedQueries(trx)) {
      const budget = columnOfField(query, 'campaign_budget.id')?.name;
      const amount = columnOfField(query, 'campaign_budget.amount_micros')?.name;
      if (budget === undefined || amount === undefined || hasDays(query)) continue;
      await sql`
        INSERT INTO budget_reading (customer_id, budget_id, amount_micros, read_at)
        SELECT customer_id, budget_id, max(amount_micros), read_at FROM (
          SELECT ${sql.raw(CUSTOMER_COLUMN)} AS customer_id, ${sql.raw(identifier(budget))} AS budget_id,
            ${sql.raw(identifier(amount))} AS amount_micros,
            (SELECT max(slice.started_at) FROM slice WHERE slice.query = ${query.name}
              AND slice.customer_id = filled.customer_id AND slice.state = 'done') AS read_at
          FROM ${sql.raw(identifier(query.name))} AS filled
        ) AS shown WHERE budget_id > 0 AND amount_micros > 0 AND read_at IS NOT NULL
        GROUP BY customer_id, budget_id, read_at ON CONFLICT DO NOTHING`.execute(trx);
    }
  });
}
