import { sql } from 'kysely';
import { MADE_STATES } from '../../domain/budget-change.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { StateDb } from '../sqlite/open-state.ts';

/** A budget that was changed, or was to be. */
export interface ChangedBudget {
  readonly customerId: CustomerId;
  readonly accountName: string | undefined;
  readonly budgetId: BudgetId;
  /** Of the campaign that it was last decided for; undefined where there was no one campaign. */
  readonly campaignName: string | undefined;
  /** Changes of ours that stand, and those of others. */
  readonly changes: bigint;
  /** What anybody knows of it last: instant, UTC. */
  readonly lastAt: string;
}

/** The budgets of which something was decided or seen, the newest first. */
export async function changedBudgets(
  db: StateDb,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<ChangedBudget[]> {
  const { rows } = await sql<ChangedBudget>`
    WITH seen AS (
      SELECT customer_id, budget_id, campaign_name, updated_at AS at,
        CASE WHEN state IN (${sql.join(MADE_STATES)}) THEN 1 ELSE 0 END AS changed
      FROM budget_intent
      UNION ALL SELECT customer_id, budget_id, campaign_name, coalesce(decided_at, created_at), 0 FROM budget_proposal
      UNION ALL SELECT customer_id, budget_id, NULL, seen_at, 1 FROM foreign_change
    )
    SELECT customer_id, account.name AS account_name, budget_id, sum(changed) AS changes, max(at) AS last_at,
      (SELECT named.campaign_name FROM seen AS named WHERE named.customer_id = seen.customer_id
        AND named.budget_id = seen.budget_id AND named.campaign_name IS NOT NULL ORDER BY named.at DESC LIMIT 1) AS campaign_name
    FROM seen LEFT JOIN account USING (customer_id)
    GROUP BY customer_id, budget_id ORDER BY last_at DESC, customer_id, budget_id
    LIMIT ${BigInt(limit)} OFFSET ${BigInt(offset)}`.execute(db);
  return rows;
}
