import { expect, it } from 'vitest';
import { INBOX_TABLES } from '../../../src/storage/inbox/inbox-schema.ts';
import { STEPS } from '../../../src/storage/records/migrations.ts';
import { freshStore } from '../../support/both-engines.ts';
import { DUMPS, restored, schemaOf, upgraded } from '../../support/database-of-version.ts';
import { describePostgres, onDatabase } from '../../support/postgres-server.ts';
import { freshState } from '../../support/state.ts';

const SQLITE_COLUMNS = `SELECT m.name, c.name, c.type, c."notnull" OR c.pk > 0, c.dflt_value
  FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'kysely%' ORDER BY 1, 2`;

const POSTGRES_COLUMNS = `SELECT table_name, column_name, data_type, is_nullable, column_default
  FROM information_schema.columns WHERE table_schema = 'pacekeeper' AND table_name NOT IN ('schema_version', 'run_lock', 'claimed_tick', 'account_yesterday', 'store_move', 'access_token', 'spent_id')
  ORDER BY table_name COLLATE "C", column_name COLLATE "C"`;

const TYPES: Readonly<Record<string, string>> = { bigint: 'INTEGER', text: 'TEXT', bytea: 'BLOB' };

const SQLITE_KEYS = `SELECT m.name, (SELECT group_concat(name) FROM pragma_index_info(i.name)) FROM sqlite_schema AS m,
  pragma_index_list(m.name) AS i WHERE m.type = 'table' AND i."unique" AND m.name NOT LIKE 'kysely%'
  UNION SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'kysely%' AND c.pk = 1
    AND (SELECT count(*) FROM pragma_table_info(m.name) WHERE pk > 0) = 1`;

const POSTGRES_KEYS = `SELECT indrelid::regclass::text, string_agg(attname, ',' ORDER BY place)
  FROM pg_index CROSS JOIN unnest(indkey) WITH ORDINALITY AS part (number, place)
    LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = number AND number > 0
  WHERE indisunique AND indrelid::regclass::text NOT IN ('pacekeeper.schema_version', 'pacekeeper.run_lock', 'pacekeeper.claimed_tick', 'pacekeeper.account_yesterday', 'pacekeeper.store_move', 'pacekeeper.access_token', 'pacekeeper.spent_id')
    AND (SELECT nspname FROM pg_namespace JOIN pg_class ON pg_class.oid = indrelid AND relnamespace = pg_namespace.oid) = 'pacekeeper'
  GROUP BY indrelid, indexrelid`;

describePostgres('the tables on both engines', () => {
  it('have equal names, columns, nullability, defaults and unique keys', async () => {
    const { connection } = await freshState();
    connection.exec(INBOX_TABLES);
    const { url } = await freshStore();
    const isDefault = (text: unknown) => (text === null ? null : String(text).replace(/::text$/, ''));
    const sqlite = connection.prepare(SQLITE_COLUMNS).raw().all() as unknown[][];
    const postgres = await onDatabase(url, POSTGRES_COLUMNS);
    expect(
      postgres.map(([table, name, type, nullable, value]) => [
        table,
        name,
        TYPES[String(type)],
        nullable === 'NO',
        isDefault(value),
      ]),
    ).toEqual(
      sqlite.map(([table, name, type, required, value]) => [table, name, type, required === 1n, isDefault(value)]),
    );

    const inOrder = (rows: readonly unknown[][]) =>
      rows.map((row) => row.map((part) => String(part).replace('pacekeeper.', '')).join(': ')).sort();
    const keys = connection.prepare(SQLITE_KEYS).raw().all() as unknown[][];
    expect(inOrder(await onDatabase(url, POSTGRES_KEYS))).toEqual(inOrder(keys));
  });

  it('have the same triggers', async () => {
    const { connection } = await freshState();
    const sqlite = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1").pluck().all();
    const postgres = await onDatabase((await freshStore()).url, 'SELECT tgname FROM pg_trigger');
    const names = postgres.map(([name]) => name);
    expect(sqlite.length).toBeGreaterThan(2);
    expect(sqlite.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('are the same after an upgrade: a migration changes both engines, as docs/contribute.md says', async () => {
    const [oldest = ''] = DUMPS;
    const url = await restored(oldest);
    await upgraded(url, STEPS);
    expect(await schemaOf(url)).toEqual(await schemaOf((await freshStore()).url));
  });
});
