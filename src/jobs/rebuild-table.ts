import type { StateApp } from '../app.ts';
import { fixedToItsWindow } from '../gaql/check/query-for-range.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { dropQueryTable, ensureQueryTable } from '../warehouse/evolve-table.ts';

/** Makes the query's table anew, empty, and says how to get back what it held. */
export async function rebuildTable({ state }: StateApp, query: QueryFile): Promise<string> {
  const lost = await dropQueryTable(state, query.name);
  await ensureQueryTable(state, query);
  const made = `Table ${query.name} was made anew for its query`;
  if (lost === undefined) return `${made}; there was none before.`;
  const { rows, days } = lost;
  const words = `${made}; ${rows.toLocaleString('en-US')} rows were taken away.`;
  const again =
    days === undefined || fixedToItsWindow(query) !== undefined
      ? `pacekeeper extract --query ${query.name}`
      : `pacekeeper extract --query ${query.name} --from ${days.from} --to ${days.to}`;
  return `${words}\nnext step: ${again}`;
}
