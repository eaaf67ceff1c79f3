import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STEPS, type Steps } from '../../src/storage/records/migrations.ts';
import { acquireRunLock } from '../../src/storage/records/postgres/run-lock.ts';
import { upgradeTables } from '../../src/storage/records/postgres/upgrade-tables.ts';
import { freshDatabase, onDatabase } from './postgres-server.ts';
import { TRIMMED } from './trim-rule.ts';

const FOLDER = 'test/fixtures/database';

/** Dumps of databases that programs of earlier versions filled: test/fixtures/database/make.ts says how. */
export const DUMPS: readonly string[] = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));

/** A report on the account of the dumps, after their last run. */
export const REPORT = ['report', '--customer', TRIMMED.customerId, '--data-dir', 'data'];

/** The address of a new database as the program of the dump left it. */
export async function restored(dump: string): Promise<string> {
  const url = await freshDatabase();
  await onDatabase(url, readFileSync(join(FOLDER, dump), 'utf8'), AS_NUMBERED);
  return url;
}

/** The months of a table are named by its number, which an upgraded database keeps and a restored one does not. */
const AS_NUMBERED = `DO $$ DECLARE month record; BEGIN
  FOR month IN SELECT inhrelid::regclass AS name, inhparent || ' ' || split_part(relname, ' ', 2) AS numbered
    FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE relkind = 'r' AND relname ~ '^[0-9]+ '
  LOOP EXECUTE format('ALTER TABLE %s RENAME TO %I', month.name, month.numbered); END LOOP; END $$`;

/** A migration of a later program, with something of each kind. */
export const LATER: Steps = {
  ...STEPS,
  '9999-later': [
    `-- Notes of runs.
    CREATE TABLE later_note (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      run_id INTEGER NOT NULL REFERENCES run (id),
      words TEXT NOT NULL,
      read_at TEXT CHECK (read_at GLOB '????-??-??T??:??:??Z')
    ) STRICT`,
    'CREATE INDEX later_note_by_run ON later_note (run_id)',
    'ALTER TABLE account ADD COLUMN later_micros INTEGER CHECK (later_micros > 0)',
    "UPDATE account SET later_micros = 10000 WHERE currency = 'EUR'",
    "INSERT INTO later_note (run_id, words) SELECT id, command || ' -- as INTEGER' FROM run ORDER BY id",
    { postgres: "CREATE FUNCTION later(text) RETURNS text LANGUAGE sql AS $$ SELECT $1 || '!' $$" },
    { sqlite: "CREATE TRIGGER later_note_stays BEFORE DELETE ON later_note BEGIN SELECT raise(ABORT, 'no'); END" },
  ],
};

/** What a process of a later program does when it holds the run lock. Returns its log. */
export async function upgraded(url: string, steps: Steps): Promise<readonly string[]> {
  const log: string[] = [];
  const lock = await acquireRunLock(url, 'pacekeeper report', '2026-11-20T12:00:00Z');
  if (lock.kind !== 'acquired') throw new Error(`The run lock is held by ${lock.holder}.`);
  try {
    await upgradeTables({ url, waitMs: 1000, fence: lock.fence, log: { info: (line) => void log.push(line) }, steps });
  } finally {
    await lock.release();
  }
  return log;
}

/** Tables, columns, constraints, indexes, triggers and functions of the records, without names that the server chose. */
export async function schemaOf(url: string): Promise<readonly string[]> {
  const rows = await onDatabase(url, "SET search_path = ''", SCHEMA);
  return rows.map(([line]) => String(line));
}

const TABLES = `SELECT oid FROM pg_catalog.pg_class WHERE relnamespace = 'pacekeeper'::regnamespace AND relkind IN ('r', 'p')
  AND NOT relispartition`;

const SCHEMA = `
  SELECT * FROM (
    SELECT pg_catalog.concat_ws(' ', 'column', attrelid::regclass,
      (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute AS before
        WHERE before.attrelid = own.attrelid AND before.attnum BETWEEN 1 AND own.attnum AND NOT before.attisdropped),
      attname, pg_catalog.format_type(atttypid, atttypmod), attnotnull, attidentity, pg_catalog.pg_get_expr(adbin, adrelid),
      nullif(attcollation, 0)::regcollation) AS line
    FROM pg_catalog.pg_attribute AS own LEFT JOIN pg_catalog.pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid IN (${TABLES}) AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'constraint', conrelid::regclass, pg_catalog.pg_get_constraintdef(oid))
    FROM pg_catalog.pg_constraint WHERE conrelid IN (${TABLES})
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'index', pg_catalog.pg_get_indexdef(indexrelid))
    FROM pg_catalog.pg_index WHERE indrelid IN (${TABLES})
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'trigger', tgenabled, pg_catalog.pg_get_triggerdef(oid))
    FROM pg_catalog.pg_trigger WHERE tgrelid IN (${TABLES}) AND NOT tgisinternal
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'function', oid::regprocedure, provolatile, proparallel, prokind, prosrc)
    FROM pg_catalog.pg_proc WHERE pronamespace IN ('pacekeeper'::regnamespace, 'warehouse'::regnamespace)
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'operator', oid::regoperator, oprcode)
    FROM pg_catalog.pg_operator WHERE oprnamespace = 'pacekeeper'::regnamespace
    UNION ALL SELECT 'step ' || name FROM pacekeeper.schema_version
  ) AS lines ORDER BY line COLLATE "C"`;
