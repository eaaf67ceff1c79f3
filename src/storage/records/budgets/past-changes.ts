import { type SqlBool, sql } from 'kysely';
import { MADE_STATES, type PastChange } from '../../../domain/budget-change.ts';
import type { CivilDate } from '../../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/micros.ts';
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

/**
 * True for a row of `budget_intent` whose newest event is a refusal that no reading has confirmed. With `|| ''`, SQLite
 * searches the changes by account, which are fewer than those with the state.
 */
export function unprovenRefusal(intent: 'intent' | 'budget_intent') {
  return sql<SqlBool>`${sql.ref(`${intent}.state`)} || '' = 'rejected' AND EXISTS (
    SELECT 1 FROM budget_event AS refusal WHERE refusal.intent_id = ${sql.ref(`${intent}.id`)}
      AND refusal.kind = 'rejected' AND refusal.detail ->> 'unproven' IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM budget_event AS later
        WHERE later.intent_id = refusal.intent_id AND later.id > refusal.id))`;
}

interface Selected {
  readonly since?: CivilDate | '';
  readonly budget?: BudgetId | undefined;
  /** Also changes that the service may have made although it refused them. */
  readonly refused?: boolean;
}

/** Successful changes by pacekeeper and changes by others, in the order in which pacekeeper learned of each. */
async function changesOf(
  db: StateDb,
  customer: CustomerId,
  { since = '', budget, refused = false }: Selected,
): Promise<readonly Row[]> {
  const only = sql`AND account_day >= ${since} ${budget === undefined ? sql`` : sql`AND budget_id = ${budget}`}`;
  const { rows } = await sql<Row>`
    SELECT budget_id, account_day AS day, CASE state WHEN 'rejected' THEN 'refused' ELSE kind END AS by, from_micros AS "from", to_micros AS "to",
      declared_micros AS declared, updated_at AS at,
      (SELECT max(event.id) FROM budget_event AS event WHERE event.intent_id = intent.id
        AND event.kind IN (${sql.join([...MADE_STATES, 'recorded', 'rejected'])})) AS learned
    FROM budget_intent AS intent
    WHERE customer_id = ${customer} ${only}
      AND (state IN (${sql.join(MADE_STATES)}) ${refused ? sql`OR (${unprovenRefusal('intent')})` : sql``})
    UNION ALL
    SELECT budget_id, account_day, 'foreign', expected_micros, found_micros, declared_micros, seen_at, event_id
    FROM foreign_change WHERE customer_id = ${customer} ${only}
    ORDER BY learned`.execute(db);
  return rows;
}

/** In the order in which pacekeeper learned of each change. Includes refused changes that may have been made. */
export async function changesSince(
  db: StateDb,
  customer: CustomerId,
  day: CivilDate,
): Promise<Map<BudgetId, PastChange[]>> {
  const changes = new Map<BudgetId, PastChange[]>();
  for (const { budgetId, day: on, by, from, to } of await changesOf(db, customer, { since: day, refused: true })) {
    const own = changes.get(budgetId) ?? [];
    changes.set(budgetId, own);
    own.push({ day: on, by, from, to });
  }
  return changes;
}

export type LastSet = Pick<Row, 'to' | 'declared' | 'at'>;

/** The last recorded amount of each budget. Includes changes by others. */
export async function lastSet(db: StateDb, customer: CustomerId, budget?: BudgetId): Promise<Map<BudgetId, LastSet>> {
  const rows = await changesOf(db, customer, { budget });
  return new Map(rows.map(({ budgetId, to, declared, at }) => [budgetId, { to, declared, at }]));
}

/** The time (UTC) of the last change from `amount` to another amount. Undefined if there was no such change. */
export async function hadUntil(
  db: StateDb,
  customer: CustomerId,
  budget: BudgetId,
  amount: Micros,
): Promise<string | undefined> {
  return (await changesOf(db, customer, { budget })).findLast(({ from }) => from === amount)?.at;
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
