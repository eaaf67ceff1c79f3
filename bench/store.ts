import { customerId } from '../src/domain/ids.ts';
import type { QueryFile } from '../src/language/gaql/query-file.ts';
import { openPostgres } from '../src/storage/records/postgres/open-records.ts';
import { postgresWarehouse } from '../src/storage/warehouse/postgres/postgres-warehouse.ts';
import type { Store } from '../src/storage/warehouse/store.ts';
import { openedState } from '../test/support/state.ts';
import { CUSTOMER } from './query.ts';
import { compareTotals, type Totals } from './totals.ts';

/** The path of a file, or the address of a database. */
export async function openStore(place: string): Promise<Store> {
  if (!place.startsWith('postgres:')) return openedState(place);
  const state = await openPostgres({ url: place, waitMs: 5_000 });
  return { ...state, warehouse: postgresWarehouse(state) };
}

/** Throws when the query's table does not hold exactly what it should. */
export async function checkStore({ warehouse }: Store, query: QueryFile, expected: Totals): Promise<void> {
  const customer = customerId(CUSTOMER);
  const metrics = (await warehouse.totals(query, [customer], undefined)).get(customer)?.metrics;
  const found = {
    rows: String(await warehouse.countRows(query.name)),
    impressions: String(metrics?.get('impressions')),
    clicks: String(metrics?.get('clicks')),
    costMicros: String(metrics?.get('cost_micros')),
  };
  compareTotals(query.name, found, expected);
}
