import { join } from 'node:path';
import type { StateApp } from '../app.ts';
import { loadDescriptions } from '../config/load-catalogue.ts';
import { publishWarehouse } from '../warehouse/publish.ts';
import type { PublishedTable } from '../warehouse/published-table.ts';

/** Publishes what the state file holds, in the words of the catalogue, and answers with where and what. */
export async function publishFiles({
  settings,
  clock,
  state,
}: StateApp): Promise<{ readonly path: string; readonly tables: readonly PublishedTable[] }> {
  const { fields } = loadDescriptions(settings.catalogue);
  const path = join(settings.paths.data, 'warehouse.sqlite');
  const tables = await publishWarehouse(state, { path, nowMs: clock.now(), describe: (field) => fields[field] });
  return { path, tables };
}
