import { sql } from 'kysely';
import { type CustomerId, customerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';
import type { StateSchema } from './schema.ts';

/** What became of an account in a run. */
export interface RunAccountRecord {
  readonly customerId: CustomerId;
  readonly state: StateSchema['run_account']['state'];
  /** One sentence; undefined exactly for an account that was read. */
  readonly reason: string | undefined;
  /** Why it was not reached, where nothing failed. */
  readonly code?: NonNullable<StateSchema['run_account']['code']>;
}

/** Rows of one statement: SQLite takes a bounded number of values. */
const ROWS_MAX = 500;

/** Records the accounts of a run; what was recorded of one of them before is replaced. */
export async function recordRunAccounts(
  db: StateDb,
  runId: bigint,
  accounts: readonly RunAccountRecord[],
): Promise<void> {
  for (let from = 0; from < accounts.length; from += ROWS_MAX) {
    const rows = accounts.slice(from, from + ROWS_MAX).map(({ customerId, state, code, reason }) => ({
      ...{ run_id: runId, customer_id: BigInt(customerId), state },
      code: code ?? null,
      reason: reason ?? null,
    }));
    await db
      .insertInto('run_account')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['run_id', 'customer_id']).doUpdateSet((excluded) => ({
          state: excluded.ref('excluded.state'),
          code: excluded.ref('excluded.code'),
          reason: excluded.ref('excluded.reason'),
        })),
      )
      .execute();
  }
}

/** The accounts that runs which began since the instant had in their scope, whatever became of them there. */
export async function accountsInScopeSince(db: StateDb, since: string): Promise<ReadonlySet<CustomerId>> {
  const rows = await db
    .selectFrom('run_account')
    .innerJoin('run', 'run.id', 'run_account.run_id')
    .select('customer_id')
    .distinct()
    .where('run.started_at', '>=', since)
    .where('run_account.state', '!=', 'left_out')
    .execute();
  return new Set(rows.map((row) => customerId(row.customer_id.toString())));
}

/**
 * Whether the folder's own record says what was changed today: something of the account is in it, or a report that ended well had
 * the account before the instant (UTC) at which the day began. A report of today may have had no rule for it.
 */
export async function hasDecidedOn(db: StateDb, customer: CustomerId, dayBegan: string): Promise<boolean> {
  const id = BigInt(customer);
  const { rows } = await sql<{ known: bigint }>`
    SELECT EXISTS (SELECT 1 FROM budget_intent WHERE customer_id = ${id})
      OR EXISTS (SELECT 1 FROM foreign_change WHERE customer_id = ${id})
      OR EXISTS (SELECT 1 FROM run_account JOIN run ON run.id = run_account.run_id
        WHERE customer_id = ${id} AND run_account.state = 'read' AND run.command = 'report' AND NOT run.dry_run
          AND run.state = 'done' AND run.started_at < ${dayBegan}) AS known
  `.execute(db);
  return rows[0]?.known === 1n;
}
