import { type Selection, sql } from 'kysely';
import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import { type CivilDate, instantText } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { excluded } from '../expressions.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';

const KNOWN_COLUMNS = ['customerId', 'name', 'currency', 'timeZone'] as const;
// The manager account that gives access, the status, such as ENABLED, and the smallest step of amounts.
const FOUND_COLUMNS = ['loginCustomerId', 'status', 'budgetUnitMicros'] as const;

export type Account = Readonly<Selection<StateSchema, 'account', (typeof KNOWN_COLUMNS)[number]>> &
  Partial<Readonly<Selection<StateSchema, 'account', (typeof FOUND_COLUMNS)[number]>>>;

export async function upsertAccounts(db: StateDb, accounts: readonly Account[], nowMs: number): Promise<void> {
  const seenAt = instantText(nowMs);
  await db.transaction().execute(async (trx) => {
    for (const some of chunksOf(accounts, ROWS_PER_STATEMENT)) {
      const rows = some.map(({ customerId, name, currency, timeZone, loginCustomerId, status, budgetUnitMicros }) => ({
        customerId,
        name,
        currency,
        timeZone,
        seenAt,
        loginCustomerId,
        status,
        budgetUnitMicros,
      }));
      await trx
        .insertInto('account')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('customerId').doUpdateSet({
            ...excluded('name', 'currency', 'timeZone', 'seenAt', ...FOUND_COLUMNS),
            currencySince: sql`CASE WHEN account.currency <> excluded.currency THEN excluded.seen_at
                ELSE account.currency_since END`,
          }),
        )
        .execute();
    }
  });
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

/** Undefined if the account has had one currency since it was first seen. */
export async function currencySince(db: StateDb, customer: CustomerId): Promise<string | undefined> {
  const account = db.selectFrom('account').select('currencySince').where('customerId', '=', customer);
  return (await account.executeTakeFirst())?.currencySince;
}

/** The service's history of budget changes has been read from this day on. */
export async function changesReadFrom(db: StateDb, customer: CustomerId): Promise<CivilDate | undefined> {
  const account = db.selectFrom('account').select('changesReadFrom').where('customerId', '=', customer);
  return (await account.executeTakeFirst())?.changesReadFrom;
}

export async function noteChangesRead(trx: StateDb, customer: CustomerId, from: CivilDate): Promise<void> {
  await trx.updateTable('account').set({ changesReadFrom: from }).where('customerId', '=', customer).execute();
}
