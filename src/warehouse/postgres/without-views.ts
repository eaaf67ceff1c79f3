import type { StateDb } from '../../store/record-store.ts';
import { identifier } from '../query-table.ts';
import { ask, run } from './ask.ts';

type View = readonly [name: string, select: string];

/** Returns the views in the order in which they were made. */
export async function dropViews(trx: StateDb): Promise<readonly View[]> {
  const views = await ask<View>(
    trx,
    `SELECT relname::text, pg_get_viewdef(oid) FROM pg_class
    WHERE relkind = 'v' AND relnamespace = 'warehouse'::regnamespace ORDER BY oid`,
  );
  const names = views.map(([name]) => `warehouse.${identifier(name)}`);
  if (names.length > 0) await run(trx, `DROP VIEW ${names.join(', ')}`);
  return views;
}

/** Makes the views again afterwards. The next publication replaces all, so a view that can no longer be made may be missing. */
export async function withoutViews(trx: StateDb, work: () => Promise<void>): Promise<void> {
  const views = await dropViews(trx);
  await work();
  await trx.deleteFrom('publication').execute();
  for (const [name, select] of views) {
    await run(trx, 'SAVEPOINT one_view');
    try {
      await run(trx, `CREATE VIEW warehouse.${identifier(name)} AS ${select}`);
    } catch {
      await run(trx, 'ROLLBACK TO SAVEPOINT one_view');
    }
  }
}
