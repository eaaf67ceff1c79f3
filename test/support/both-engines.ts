import { onTestFinished } from 'vitest';
import { openPostgres } from '../../src/storage/records/postgres/open-records.ts';
import { postgresWarehouse } from '../../src/storage/warehouse/postgres/postgres-warehouse.ts';
import type { Store } from '../../src/storage/warehouse/store.ts';
import { freshDatabase } from './postgres-server.ts';
import { freshState } from './state.ts';

/** A store on PostgreSQL, on a database of the test's own unless it names one. */
export async function freshStore(url?: string): Promise<Store & { readonly url: string }> {
  const address = url ?? (await freshDatabase());
  const state = await openPostgres({ url: address, waitMs: 2000 });
  onTestFinished(() => state.close());
  return { ...state, warehouse: postgresWarehouse(state), url: address };
}

/** An empty store on each engine. */
export async function bothEngines(): Promise<{ readonly sqlite: Store; readonly postgres: Store & { url: string } }> {
  return { sqlite: await freshState(), postgres: await freshStore() };
}
