import { sql } from 'kysely';
import { MADE_STATES, type PastChange } from '../../domain/budget-change.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { StateDb } from '../record-store.ts';

interface Row {
  readonly budgetId: BudgetId;
  readonly day: CivilDate;
  readonly by: PastChange['by'];
  readonly from: Micros;
  readonly to: Micros;
  readonly declared: Micros | undefined;
  /** The time (UTC) when pacekeeper learned of the change. */
  readonly at: string;
}

/** Successful changes by pacekeeper and changes by others, in the order in which pacekeeper learned of each. */
async function changesOf(
  db: StateDb,
  customer: CustomerId,
  since: CivilDate | '',
  budget?: BudgetId,
): Promise<readonly Row[]> {
  const only = budget === undefined ? sql`` : sql`AND budget_id = ${budget}`;
  const { rows } = await sql<Row>`
    SELECT budget_id, account_day AS day, kind AS by, from_micros AS "from", to_micros AS "to",
      declared_micros AS declared, updated_at AS at,
      (SELECT max(event.id) FROM budget_event AS event WHERE event.intent_id = intent.id
        AND event.kind IN (${sql.join([...MADE_STATES, 'recorded'])})) AS learned
    FROM budget_intent AS intent
    WHERE customer_id = ${customer} AND account_day >= ${since} AND state IN (${sql.join(MADE_STATES)}) ${only}
    UNION ALL
    SELECT budget_id, account_day, 'foreign', expected_micros, found_micros, declared_micros, seen_at, event_id
    FROM foreign_change WHERE customer_id = ${customer} AND account_day >= ${since} ${only}
    ORDER BY learned`.execute(db);
  return rows;
}

/** In the order in which pacekeeper learned of each change. */
export async function changesSince(
  db: StateDb,
  customer: CustomerId,
  day: CivilDate,
): Promise<Map<BudgetId, PastChange[]>> {
  const changes = new Map<BudgetId, PastChange[]>();
  for (const { budgetId, day: on, by, from, to } of await changesOf(db, customer, day)) {
    const own = changes.get(budgetId) ?? [];
    changes.set(budgetId, own);
    own.push({ day: on, by, from, to });
  }
  return changes;
}

export type LastSet = Pick<Row, 'to' | 'declared' | 'at'>;

/** The last recorded amount of each budget. Includes changes by others. */
export async function lastSet(db: StateDb, customer: CustomerId, budget?: BudgetId): Promise<Map<BudgetId, LastSet>> {
  const rows = await changesOf(db, customer, '', budget);
  return new Map(rows.map(({ budgetId, to, declared, at }) => [budgetId, { to, declared, at }]));
}

/** The time (UTC) of the last change from `amount` to another amount. Undefined if there was no such change. */
export async function hadUntil(
  db: StateDb,
  customer: CustomerId,
  budget: BudgetId,
  amount: Micros,
): Promise<string | undefined> {
  return (await changesOf(db, customer, '', budget)).findLast(({ from }) => from === amount)?.at;
}

/** An undefined value does not limit the selection. */
export interface ChangeFilter {
  readonly customers?: readonly CustomerId[];
  readonly campaignId?: CampaignId | undefined;
  readonly limit?: number | undefined;
}

export function budgetsChangedFor(db: StateDb, campaign: CampaignId) {
  return db.selectFrom('budgetIntent').select('budgetId').where('campaignId', '=', campaign);
}
