import type { Selection, Updateable } from 'kysely';
import { instantText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';

const KNOWN_COLUMNS = ['customerId', 'name', 'currency', 'timeZone'] as const;
// The manager account that gives access, and the account's status at the service, such as ENABLED.
const FOUND_COLUMNS = ['loginCustomerId', 'status'] as const;

export type Account = Readonly<Selection<StateSchema, 'account', (typeof KNOWN_COLUMNS)[number]>> &
  Partial<Readonly<Selection<StateSchema, 'account', (typeof FOUND_COLUMNS)[number]>>>;

export async function upsertAccounts(db: StateDb, accounts: readonly Account[], nowMs: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const account of accounts) await upsertAccount(trx, account, nowMs);
  });
}

async function upsertAccount(db: StateDb, account: Account, nowMs: number): Promise<void> {
  const facts = {
    name: account.name ?? null,
    currency: account.currency ?? null,
    timeZone: account.timeZone ?? null,
    seenAt: instantText(nowMs),
    loginCustomerId: account.loginCustomerId ?? null,
    status: account.status ?? null,
  } satisfies Updateable<StateSchema['account']>;
  await db
    .insertInto('account')
    .values({ customerId: account.customerId, ...facts })
    .onConflict((conflict) => conflict.column('customerId').doUpdateSet(facts))
    .execute();
}

export async function knownAccount(db: StateDb, id: CustomerId): Promise<Account | undefined> {
  return selectAccounts(db).where('customerId', '=', id).executeTakeFirst();
}

export async function allAccounts(db: StateDb): Promise<Account[]> {
  return selectAccounts(db).orderBy('customerId').execute();
}

export async function knownAccountsThrough(db: StateDb, manager: CustomerId): Promise<Account[]> {
  return selectAccounts(db)
    .where('loginCustomerId', '=', manager)
    .where((or) => or.eb('status', 'is', null).or('status', '=', 'ENABLED'))
    .orderBy('customerId')
    .execute();
}

function selectAccounts(db: StateDb) {
  return db.selectFrom('account').select([...KNOWN_COLUMNS, ...FOUND_COLUMNS]);
}
