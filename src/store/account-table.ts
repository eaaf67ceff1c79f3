import { instantText } from '../domain/civil-date.ts';
import { type CustomerId, customerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';

/** An account as far as it is known. */
export interface Account {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly timeZone: string | undefined;
  /** The manager that it is reached through, if any. */
  readonly loginCustomerId?: CustomerId | undefined;
  /** The service's word for its standing, such as ENABLED or SUSPENDED, if it says. */
  readonly status?: string | undefined;
}

/** Records what is known of the accounts now, all or none of them. */
export async function upsertAccounts(db: StateDb, accounts: readonly Account[], nowMs: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const account of accounts) await upsertAccount(trx, account, nowMs);
  });
}

async function upsertAccount(db: StateDb, account: Account, nowMs: number): Promise<void> {
  const facts = {
    name: account.name ?? null,
    currency: account.currency ?? null,
    time_zone: account.timeZone ?? null,
    seen_at: instantText(nowMs),
    login_customer_id: account.loginCustomerId === undefined ? null : BigInt(account.loginCustomerId),
    status: account.status ?? null,
  };
  await db
    .insertInto('account')
    .values({ customer_id: BigInt(account.customerId), ...facts })
    .onConflict((conflict) => conflict.column('customer_id').doUpdateSet(facts))
    .execute();
}

/** What earlier runs learned of an account. */
export async function knownAccount(db: StateDb, id: CustomerId): Promise<Account | undefined> {
  const row = await selectAccounts(db).where('customer_id', '=', BigInt(id)).executeTakeFirst();
  return row && accountOf(row);
}

/** Every account that any run has seen, ascending. */
export async function allAccounts(db: StateDb): Promise<Account[]> {
  return (await selectAccounts(db).orderBy('customer_id').execute()).map(accountOf);
}

/** The accounts that earlier runs read through the manager, ascending. */
export async function knownAccountsThrough(db: StateDb, manager: CustomerId): Promise<Account[]> {
  const rows = await selectAccounts(db)
    .where('login_customer_id', '=', BigInt(manager))
    .where((or) => or.eb('status', 'is', null).or('status', '=', 'ENABLED'))
    .orderBy('customer_id')
    .execute();
  return rows.map(accountOf);
}

function selectAccounts(db: StateDb) {
  return db
    .selectFrom('account')
    .select(['customer_id', 'name', 'currency', 'time_zone', 'login_customer_id', 'status']);
}

type AccountRow = Awaited<ReturnType<ReturnType<typeof selectAccounts>['executeTakeFirstOrThrow']>>;

function accountOf(row: AccountRow): Account {
  return {
    customerId: customerId(String(row.customer_id)),
    name: row.name ?? undefined,
    currency: row.currency ?? undefined,
    timeZone: row.time_zone ?? undefined,
    loginCustomerId: row.login_customer_id === null ? undefined : customerId(String(row.login_customer_id)),
    status: row.status ?? undefined,
  };
}
