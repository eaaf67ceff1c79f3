import { sql } from 'kysely';
import { type CivilDate, civilDate } from '../domain/civil-date.ts';
import { type BudgetId, budgetId, type CustomerId } from '../domain/ids.ts';
import { MADE_STATES } from '../domain/made-change.ts';
import { type Micros, micros } from '../domain/micros.ts';
import type { PastChange } from '../domain/past-change.ts';
import type { StateDb } from './open-state.ts';

interface Row {
  readonly budget_id: bigint;
  readonly account_day: string;
  readonly changed_by: PastChange['by'];
  readonly from_micros: bigint;
  readonly to_micros: bigint;
  readonly declared_micros: bigint | null;
  readonly known_at: string;
}

/** What was set, and what someone else set, in the order in which we learned of it: the order of their events. */
async function changesOf(
  db: StateDb,
  customer: CustomerId,
  since: CivilDate | '',
  budget?: BudgetId,
): Promise<readonly Row[]> {
  const id = BigInt(customer);
  const only = budget === undefined ? sql`` : sql`AND budget_id = ${BigInt(budget)}`;
  const { rows } = await sql<Row>`
    SELECT budget_id, account_day, kind AS changed_by, from_micros, to_micros, declared_micros, updated_at AS known_at,
      (SELECT max(event.id) FROM budget_event AS event WHERE event.intent_id = intent.id
        AND event.kind IN (${sql.join([...MADE_STATES, 'recorded'])})) AS learned
    FROM budget_intent AS intent
    WHERE customer_id = ${id} AND account_day >= ${since} AND state IN (${sql.join(MADE_STATES)}) ${only}
    UNION ALL
    SELECT budget_id, account_day, 'foreign', expected_micros, found_micros, declared_micros, seen_at, event_id
    FROM foreign_change WHERE customer_id = ${id} AND account_day >= ${since} ${only}
    ORDER BY learned`.execute(db);
  return rows;
}

/** The changes of the account's budgets since the account day, oldest first: ours that are made, and other people's. */
export async function changesSince(
  db: StateDb,
  customer: CustomerId,
  day: CivilDate,
): Promise<Map<BudgetId, PastChange[]>> {
  const changes = new Map<BudgetId, PastChange[]>();
  for (const row of await changesOf(db, customer, day)) {
    const budget = budgetId(row.budget_id.toString());
    const own = changes.get(budget) ?? [];
    changes.set(budget, own);
    const [from, to] = [micros(row.from_micros), micros(row.to_micros)];
    own.push({ day: civilDate(row.account_day), by: row.changed_by, from, to });
  }
  return changes;
}

/** What a budget was last set to, as far as our ledger knows, and what the settings declared for it then. */
export interface LastSet {
  readonly to: Micros;
  readonly declared: Micros | undefined;
  /** Instant, UTC: when we learned of it. */
  readonly at: string;
}

/** What our own ledger says each budget of the account has, changes by someone else that were seen included. */
export async function lastSet(
  db: StateDb,
  customer: CustomerId,
  /** Only this one; all of the account otherwise. */
  budget?: BudgetId,
): Promise<Map<BudgetId, LastSet>> {
  const rows = await changesOf(db, customer, '', budget);
  return new Map(
    rows.map(({ budget_id, to_micros, declared_micros, known_at: at }) => {
      const declared = declared_micros === null ? undefined : micros(declared_micros);
      return [budgetId(budget_id.toString()), { to: micros(to_micros), declared, at }];
    }),
  );
}

/**
 * Until when the budget had the amount, as far as our ledger knows: the instant (UTC) at which we learned of the newest change
 * away from it; undefined when it never was another's old amount.
 */
export async function hadUntil(
  db: StateDb,
  customer: CustomerId,
  budget: BudgetId,
  amount: Micros,
): Promise<string | undefined> {
  return (await changesOf(db, customer, '', budget)).findLast(({ from_micros }) => from_micros === amount)?.known_at;
}
