import { instantText } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';

/** An account as far as it is known. */
export interface Account {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly timeZone: string | undefined;
}

export async function upsertAccount(db: StateDb, account: Account, nowMs: number): Promise<void> {
  const facts = {
    name: account.name ?? null,
    currency: account.currency ?? null,
    time_zone: account.timeZone ?? null,
    seen_at: instantText(nowMs),
  };
  await db
    .insertInto('account')
    .values({ customer_id: BigInt(account.customerId), ...facts })
    .onConflict((conflict) => conflict.column('customer_id').doUpdateSet(facts))
    .execute();
}

/** What earlier runs learned of an account. */
export async function knownAccount(db: StateDb, customerId: CustomerId): Promise<Account | undefined> {
  const row = await db
    .selectFrom('account')
    .select(['name', 'currency', 'time_zone'])
    .where('customer_id', '=', BigInt(customerId))
    .executeTakeFirst();
  return (
    row && {
      customerId,
      name: row.name ?? undefined,
      currency: row.currency ?? undefined,
      timeZone: row.time_zone ?? undefined,
    }
  );
}
