import type { Selectable } from 'kysely';
import { type CustomerId, customerId } from '../domain/ids.ts';
import { type Intent, toIntent } from './intent-table.ts';
import type { StateDb } from './open-state.ts';
import type { StateSchema, TargetKind } from './schema.ts';

/** A run as it was recorded. */
export interface PastRun {
  readonly id: bigint;
  /** Without the program's name: `report`. */
  readonly command: string;
  readonly target: string;
  readonly targetKind: TargetKind;
  readonly mode: string;
  readonly dryRun: boolean;
  readonly state: StateSchema['run']['state'];
  /** Instants, UTC. */
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly accounts: bigint;
  readonly rowsRead: bigint;
  readonly budgetChanges: bigint;
  readonly messagesSent: bigint;
  readonly operations: bigint;
  /** How many sentences `error` has. */
  readonly failures: bigint;
  /** What failed, a sentence a line. */
  readonly error: string | undefined;
}

/** Which runs are asked for. */
export interface RunFilter {
  /** Only those with a smaller number. */
  readonly before?: bigint | undefined;
  /** Without the program's name: `report`. */
  readonly command?: string | undefined;
  readonly limit: number;
}

/** Runs, the newest first. */
export async function pastRuns(db: StateDb, { before, command, limit }: RunFilter): Promise<PastRun[]> {
  let query = db.selectFrom('run').selectAll().orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (command !== undefined) query = query.where('command', '=', command);
  return (await query.execute()).map(toRun);
}

export async function pastRun(db: StateDb, id: bigint): Promise<PastRun | undefined> {
  const row = await db.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toRun(row);
}

/** An account in a run. */
export interface AccountInRun {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly state: StateSchema['run_account']['state'];
  readonly code: StateSchema['run_account']['code'];
  readonly reason: string | undefined;
  /** Rows in the tables by it. */
  readonly rows: bigint;
}

/** What became of the accounts in a run, those that were not read first. */
export async function accountsInRun(db: StateDb, id: bigint, limit: number): Promise<AccountInRun[]> {
  const rows = await db
    .selectFrom('run_account')
    .leftJoin('account', 'account.customer_id', 'run_account.customer_id')
    .select(['run_account.customer_id', 'account.name', 'run_account.state', 'run_account.code', 'run_account.reason'])
    .select(({ selectFrom }) =>
      selectFrom('slice')
        .select(({ fn }) => fn.sum<bigint | null>('slice.rows').as('rows'))
        .where('slice.run_id', '=', id)
        .whereRef('slice.customer_id', '=', 'run_account.customer_id')
        .as('rows'),
    )
    .where('run_account.run_id', '=', id)
    .orderBy(({ eb }) => eb('run_account.state', '=', 'read'))
    .orderBy('run_account.customer_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    customerId: customerId(String(row.customer_id)),
    name: row.name ?? undefined,
    state: row.state,
    code: row.code,
    reason: row.reason ?? undefined,
    rows: row.rows ?? 0n,
  }));
}

/** The budget changes that a run decided, in the order in which it did. */
export async function changesOfRun(db: StateDb, id: bigint, limit: number): Promise<Intent[]> {
  const rows = db.selectFrom('budget_intent').selectAll().where('run_id', '=', id);
  return (await rows.orderBy('id').limit(limit).execute()).map(toIntent);
}

function toRun(row: Selectable<StateSchema['run']>): PastRun {
  return {
    ...{
      id: row.id,
      command: row.command,
      target: row.target,
      targetKind: row.target_kind,
      mode: row.mode,
      dryRun: row.dry_run === 1n,
    },
    ...{ state: row.state, startedAt: row.started_at, endedAt: row.ended_at ?? undefined },
    ...{ accounts: row.accounts, rowsRead: row.rows_read, budgetChanges: row.budget_changes },
    ...{ messagesSent: row.messages_sent, operations: row.operations },
    ...{ failures: row.failures, error: row.error ?? undefined },
  };
}
