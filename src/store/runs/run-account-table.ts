import type { Selectable } from 'kysely';
import type { CustomerId } from '../../domain/ids.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import type { StateSchema } from '../state-schema.ts';

/**
 * What became of an account in a run. The reason is one sentence; undefined exactly for an account that was read. The code says why it
 * was not reached, where nothing failed.
 */
export type RunAccountRecord = Readonly<Pick<Row, 'customerId' | 'state' | 'reason'> & Partial<Pick<Row, 'code'>>>;

type Row = Selectable<StateSchema['runAccount']>;

/** Rows of one statement: SQLite takes a bounded number of values. */
const ROWS_MAX = 500;

/** Records the accounts of a run; what was recorded of one of them before is replaced. */
export async function recordRunAccounts(
  db: StateDb,
  runId: bigint,
  accounts: readonly RunAccountRecord[],
): Promise<void> {
  for (let from = 0; from < accounts.length; from += ROWS_MAX) {
    const rows = accounts
      .slice(from, from + ROWS_MAX)
      .map(({ customerId, state, code, reason }) => ({ runId, customerId, state, code, reason }));
    await db
      .insertInto('runAccount')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['runId', 'customerId']).doUpdateSet((excluded) => ({
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
    .selectFrom('runAccount')
    .innerJoin('run', 'run.id', 'runAccount.runId')
    .select('customerId')
    .distinct()
    .where('run.startedAt', '>=', since)
    .where('runAccount.state', '!=', 'left_out')
    .execute();
  return new Set(rows.map(({ customerId }) => customerId));
}

/**
 * Whether the folder's own record says what was changed today: something of the account is in it, or a report that ended well had
 * the account before the instant (UTC) at which the day began. A report of today may have had no rule for it.
 */
export async function hasDecidedOn(db: StateDb, customer: CustomerId, dayBegan: string): Promise<boolean> {
  const known = await db
    .selectFrom('budgetIntent')
    .select('customerId')
    .where('customerId', '=', customer)
    .unionAll(db.selectFrom('foreignChange').select('customerId').where('customerId', '=', customer))
    .unionAll(
      db
        .selectFrom('runAccount')
        .innerJoin('run', 'run.id', 'runAccount.runId')
        .select('customerId')
        .where('customerId', '=', customer)
        .where('runAccount.state', '=', 'read')
        .where('run.command', '=', 'report')
        .where('run.dryRun', '=', 0n)
        .where('run.state', '=', 'done')
        .where('run.startedAt', '<', dayBegan),
    )
    .limit(1)
    .executeTakeFirst();
  return known !== undefined;
}
