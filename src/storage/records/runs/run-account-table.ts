import type { Selectable } from 'kysely';
import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { excluded } from '../expressions.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';

/** `reason` is undefined only if the account was read. */
export type RunAccountRecord = Readonly<Pick<Row, 'customerId' | 'state' | 'reason'> & Partial<Pick<Row, 'code'>>>;

type Row = Selectable<StateSchema['runAccount']>;

export async function recordRunAccounts(
  db: StateDb,
  runId: bigint,
  accounts: readonly RunAccountRecord[],
): Promise<void> {
  for (const some of chunksOf(accounts, ROWS_PER_STATEMENT)) {
    const rows = some.map(({ customerId, state, code, reason }) => ({ runId, customerId, state, code, reason }));
    await db
      .insertInto('runAccount')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['runId', 'customerId']).doUpdateSet(excluded('state', 'code', 'reason')),
      )
      .execute();
  }
}

/** False if the run listed no account, or ended before it recorded them. */
export async function hasUnfailedAccount(db: StateDb, runId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('runAccount')
    .select('customerId')
    .where('runId', '=', runId)
    .where('state', 'not in', ['failed', 'stopped'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function countUnread(db: StateDb, runId: bigint): Promise<number> {
  const row = await db
    .selectFrom('runAccount')
    .select(({ fn }) => fn.countAll<bigint>().as('accounts'))
    .where('runId', '=', runId)
    .where('state', '=', 'failed')
    .executeTakeFirstOrThrow();
  return Number(row.accounts);
}

/** Includes accounts that the runs failed to read. `since` is in UTC. */
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
