import { sql } from 'kysely';
import type { AlertSeverity } from '../domain/channel.ts';
import type { CivilDate } from '../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';

/** A change, made or proposed, whose alert told what the rule says of its subject. */
export interface ChangeTold {
  readonly alertId: bigint;
  readonly rule: string;
  readonly budgetId: BudgetId;
  /** Instant, UTC. */
  readonly at: string;
  readonly severity: AlertSeverity;
}

/**
 * What the changes of the account day told of the account, or are about to, the newest last. What was taken back before it
 * left told nobody.
 */
export async function changesTold(db: StateDb, customer: CustomerId, day: CivilDate): Promise<ChangeTold[]> {
  const { rows } = await sql<ChangeTold>`
    SELECT alert.id AS alert_id, change.rule, change.budget_id, alert.created_at AS at, alert.severity
    FROM budget_intent AS change JOIN alert ON alert.dedupe_key IN (
      'budget-intent:' || change.id || ':done', 'budget-intent:' || change.id || ':rejected',
      'budget-intent:' || change.id || ':unknown', 'budget-intent:' || change.id || ':superseded')
    WHERE change.customer_id = ${customer} AND change.account_day = ${day} AND change.alert_text IS NOT NULL AND ${GOES_OUT}
    UNION ALL
    SELECT alert.id, change.rule, change.budget_id, alert.created_at, alert.severity
    FROM budget_proposal AS change JOIN alert ON alert.dedupe_key = 'proposal:' || change.code
    WHERE change.customer_id = ${customer} AND change.account_day = ${day} AND change.alert_text IS NOT NULL AND ${GOES_OUT}
    ORDER BY at`.execute(db);
  return rows;
}

const GOES_OUT = sql`EXISTS (SELECT 1 FROM outbox WHERE outbox.alert_id = alert.id AND outbox.state NOT IN ('withdrawn', 'failed'))`;
