import { InputError } from '../../../domain/errors.ts';
import type { StateDb } from '../../records/record-store.ts';
import { ask, run } from './ask.ts';
import { tableOf } from './query-tables.ts';

interface View {
  readonly name: string;
  readonly select: string;
  readonly description: string;
}

/** Views with this comment are ours. All others belong to somebody else. */
export const OURS = 'pacekeeper: ';

/** Throws `InputError` if a table or somebody else's view has this name. */
export async function createView(trx: StateDb, { name, select, description }: View): Promise<void> {
  if (await isView(trx, name)) {
    throw new InputError(`the view warehouse.${name} was not created by pacekeeper`, {
      nextStep: 'Rename or drop this view. Then run pacekeeper publish.',
    });
  }
  if (await isTable(trx, name)) {
    throw new InputError(`warehouse.${name} is a table, so no view can have this name`, {
      nextStep: `If it is of a former query, drop it: pacekeeper warehouse rebuild ${name}. Then run pacekeeper publish.`,
    });
  }
  await run(trx, `CREATE VIEW ${tableOf(name)} AS ${select}`);
  const comment = (OURS + description).replaceAll("'", "''");
  await run(trx, `COMMENT ON VIEW ${tableOf(name)} IS '${comment}'`);
}

export async function isView(trx: StateDb, name: string): Promise<boolean> {
  const found = await ask(trx, "SELECT 1 FROM pg_views WHERE schemaname = 'warehouse' AND viewname = $1", [name]);
  return found.length > 0;
}

async function isTable(trx: StateDb, name: string): Promise<boolean> {
  return (await ask(trx, 'SELECT 1 WHERE to_regclass($1) IS NOT NULL', [tableOf(name)])).length > 0;
}

/** Returns our views in the order in which they were made. Throws `InputError` if somebody else's views read them. */
export async function dropViews(trx: StateDb): Promise<readonly View[]> {
  const found = await ask<[string, string, string]>(
    trx,
    `SELECT relname::text, pg_get_viewdef(oid), right(obj_description(oid), -length($1)) FROM pg_class
    WHERE relkind = 'v' AND relnamespace = 'warehouse'::regnamespace AND starts_with(obj_description(oid), $1) ORDER BY oid`,
    [OURS],
  );
  if (found.length > 0) {
    try {
      await run(trx, `DROP VIEW ${found.map(([name]) => tableOf(name)).join(', ')}`);
    } catch (cause) {
      const { code, detail = '' } = cause as { readonly code?: unknown; readonly detail?: string };
      if (code !== DEPENDED_ON) throw cause;
      throw new InputError(`${detail.split('\n').join(', ')}. Views that others read cannot be replaced`, {
        nextStep: 'Drop what depends on them. Run pacekeeper publish. Then create it again.',
        cause,
      });
    }
  }
  return found.map(([name, select, description]) => ({ name, select, description }));
}

const DEPENDED_ON = '2BP01';

/** Makes the views again afterwards. The next publication replaces all, so a view that can no longer be made may be missing. */
export async function withoutViews(trx: StateDb, work: () => Promise<void>): Promise<void> {
  const views = await dropViews(trx);
  await work();
  await trx.deleteFrom('publication').execute();
  for (const view of views) {
    await run(trx, 'SAVEPOINT one_view');
    try {
      await createView(trx, view);
    } catch {
      await run(trx, 'ROLLBACK TO SAVEPOINT one_view');
    }
  }
}
