import { sql } from 'kysely';
import type { StateDb } from '../record-store.ts';

const DATABASE = '(SELECT oid FROM pg_database WHERE datname = current_database())';
const NOTE = `UPDATE pacekeeper.run_lock
  SET system_id = pacekeeper.system_id(), database_oid = ${DATABASE}, table_oid = tableoid`;

/**
 * A database that is restored from a dump has the records of that time. Nothing in them says that budgets changed later, so
 * rules would change them again. The row of the run lock therefore keeps three numbers that no dump carries over. They
 * are those of the server (if this user may read it), of the database and of the table. In a copy, they differ from the
 * current ones. Copies of the server's files have the same numbers, so only `runs/` in a data folder shows those.
 * Step 0011 is made of these statements, so a later change of them needs a step with its own.
 */
export const COPY_WITNESS: readonly string[] = [
  `CREATE FUNCTION pacekeeper.system_id() RETURNS text LANGUAGE plpgsql STABLE AS $$
    BEGIN RETURN (SELECT system_identifier FROM pg_catalog.pg_control_system());
    EXCEPTION WHEN insufficient_privilege THEN RETURN NULL; END $$`,
  'ALTER TABLE pacekeeper.run_lock ADD COLUMN system_id text, ADD COLUMN database_oid oid, ADD COLUMN table_oid oid',
  NOTE,
];

/** For transactions of a worker, which would not notice that the database was replaced under the same name. */
export const IS_NO_COPY = 'run_lock.table_oid = run_lock.tableoid';

/** A row if the records were made elsewhere. None for a user who cannot write them: such a user changes no budget. */
export const IS_COPIED = `SELECT 1 FROM pacekeeper.run_lock WHERE (system_id <> pacekeeper.system_id()
  OR database_oid <> ${DATABASE} OR NOT ${IS_NO_COPY}) AND has_table_privilege('pacekeeper.run_lock', 'UPDATE')`;

export async function isCopied(db: StateDb): Promise<boolean> {
  return (await sql.raw(IS_COPIED).execute(db)).rows.length > 0;
}

export async function noteCopied(trx: StateDb): Promise<void> {
  await sql.raw(NOTE).execute(trx);
}
