import type { CivilDate } from '../../../domain/civil-date.ts';
import type { StateDb } from '../record-store.ts';
import type { Reading } from './account-days.ts';

export async function hasReadDays(db: StateDb): Promise<boolean> {
  return (await db.selectFrom('accountDay').select('date').limit(1).executeTakeFirst()) !== undefined;
}

export async function daysReadSince(
  db: StateDb,
  slice: Pick<Reading, 'query' | 'queryText' | 'customerId'> & { readonly id: bigint },
): Promise<ReadonlySet<CivilDate>> {
  const rows = await db
    .selectFrom('accountDay')
    .select('date')
    .where('query', '=', slice.query)
    .where('customerId', '=', slice.customerId)
    .where('queryText', '=', slice.queryText)
    .where('sliceId', '>', slice.id)
    .execute();
  return new Set(rows.map(({ date }) => date));
}
