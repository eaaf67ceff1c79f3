import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { beforeEach, expect, it } from 'vitest';
import { copyTables } from '../../../src/storage/warehouse/postgres/copy-tables.ts';
import type { DeclaredType, PublishedTable } from '../../../src/storage/warehouse/publish/published-table.ts';
import { describePostgres, freshDatabase, onDatabase } from '../../support/postgres-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES } from '../../support/trim-rule.ts';
import { writeFolder } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';

const NOW = '2026-11-20T08:00:00Z';
const TABLES =
  "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('published') AND relkind = 'r' ORDER BY 1";
const SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'published%'";
const HOUR = 'SELECT extract(hour FROM as_of) FROM published.as_of';

/** A value of the file, or its text on the server, as both show it. */
function shown(value: unknown, declared: string): unknown {
  if (value === null) return null;
  if (declared === 'BOOLEAN') return String(value) === '1' || value === 'true';
  return /^D(?:OUBLE|ECIMAL)/.test(declared) ? Number(value) : String(value).replace(/\.000$/, '');
}

const SCHEMA_VARIABLE = /\$\{schema\}/g;

function panelQueries(): readonly string[] {
  const { panels } = JSON.parse(readFileSync('docs/deploy/grafana/tables.json', 'utf8'));
  return panels.flatMap(({ targets }: { targets: readonly { rawSql: string }[] }) =>
    targets.map(({ rawSql }) => rawSql),
  );
}

describePostgres('publish.postgres.url', () => {
  let url: string;
  let folder: string;
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = { PUBLISH_POSTGRES_URL: url }) =>
    runInProcess(args, { folder, env: { PACEKEEPER_NOW: NOW, ...env } });

  beforeEach(async () => {
    url = await freshDatabase();
    folder = tempDir();
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', {});
    expect((await run(['extract'])).code).toBe(0);
  });

  it('has each table of the file after a run, to the last digit', async () => {
    const file = new Database(join(folder, 'data', 'warehouse.sqlite'), { readonly: true });
    file.defaultSafeIntegers(true);
    const names = file.prepare(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'",
    );
    const tables = names.pluck().all() as string[];
    const kept = (await onDatabase(url, TABLES)).flat();
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.filter((name) => !tables.includes(String(name)))).toEqual([]);
    for (const name of kept) {
      const columns = file.pragma(`table_info("${name}")`) as { readonly name: string; readonly type: string }[];
      const rowsOf = (rows: readonly unknown[][]) =>
        rows.map((row) => JSON.stringify(row.map((value, index) => shown(value, columns[index]?.type ?? '')))).sort();
      const texts = columns.map((column) => `"${column.name}"::text`).join(', ');
      const here = file.prepare(`SELECT * FROM "${name}"`).raw().all() as unknown[][];
      expect(rowsOf(await onDatabase(url, `SELECT ${texts} FROM published."${name}"`)), String(name)).toEqual(
        rowsOf(here),
      );
    }
    file.close();
  });

  it('replaces all tables, and keeps the rights of readers', async () => {
    const reader = `reader_${url.split('_').at(-1)}`;
    await onDatabase(
      url,
      `CREATE ROLE ${reader}`,
      `GRANT USAGE ON SCHEMA published TO ${reader} WITH GRANT OPTION`,
      `GRANT SELECT ON published.account TO ${reader}`,
      `GRANT SELECT (id) ON published.run TO ${reader}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA published GRANT SELECT ON TABLES TO ${reader}`,
      `REVOKE ALL ON published.decision FROM ${reader}`,
      // A table of its first publication.
      'DROP TABLE published.data_dictionary',
    );
    const rights = `SELECT has_schema_privilege('${reader}', 'published', 'USAGE WITH GRANT OPTION'),
      has_table_privilege('${reader}', 'published.account', 'SELECT'),
      has_table_privilege('${reader}', 'published.account', 'INSERT'),
      has_column_privilege('${reader}', 'published.run', 'id', 'SELECT'),
      has_column_privilege('${reader}', 'published.run', 'state', 'SELECT'),
      has_table_privilege('${reader}', 'published.data_dictionary', 'SELECT')`;
    for (let time = 0; time < 2; time += 1) {
      const { code, stderr } = await run(['publish'], {
        PUBLISH_POSTGRES_URL: url,
        PACEKEEPER_NOW: '2026-11-20T09:00:00Z',
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(await onDatabase(url, rights)).toEqual([[true, true, false, true, false, true]]);
    }
    expect(await onDatabase(url, HOUR)).toEqual([['9']]);
    expect(await onDatabase(url, SCHEMAS)).toEqual([['published']]);
  });

  it('keeps the last copy if the server ends the connection in the swap', async () => {
    // A reader keeps a table, so the old tables cannot be dropped yet.
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query('BEGIN; LOCK TABLE published.account IN ACCESS SHARE MODE');
    const publishing = run(['publish'], { PUBLISH_POSTGRES_URL: url, PACEKEEPER_NOW: '2026-11-20T09:00:00Z' });
    const waiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let found: unknown[][] = [];
    while (found.length === 0) found = await onDatabase(url, waiting);
    await onDatabase(url, `SELECT pg_terminate_backend(${found[0]?.[0]})`);
    const { code, stderr } = await publishing;
    await reader.end();
    expect(code).toBe(1);
    expect(stderr).toContain('The copy of the tables in PostgreSQL is not renewed: ');
    expect(stderr).toContain('Readers see the last complete copy.');
    expect(await onDatabase(url, HOUR)).toEqual([['8']]);
    expect(await onDatabase(url, SCHEMAS)).toEqual([['published']]);
  });

  it.each([
    [
      'a schema of others',
      'CREATE SCHEMA published; CREATE TABLE published.mine (x int)',
      'has tables that pacekeeper did not make',
    ],
    ['a schema that is half ours', 'CREATE SCHEMA published_next', 'already exists'],
  ])('never drops %s', async (_, statement, words) => {
    await onDatabase(url, 'DROP SCHEMA published CASCADE', statement);
    const before = await onDatabase(url, SCHEMAS);
    const { code, stderr } = await run(['publish']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
    expect(await onDatabase(url, SCHEMAS)).toEqual(before);
  });

  it('never drops a view of others that depends on a table', async () => {
    await onDatabase(url, 'CREATE VIEW mine AS SELECT * FROM published.account');
    const { code, stderr } = await run(['publish']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('other objects depend on') });
    expect(await onDatabase(url, 'SELECT count(*) > 0 FROM mine')).toEqual([[true]]);
  });

  it('tells a run that the server cannot be reached, without the password, and the file is published', async () => {
    const secret = 'postgres://keeper:tr0ub4dor@127.0.0.1:9/x';
    writeFileSync(join(folder, 'url'), secret);
    const { code, stdout, stderr } = await run(['report'], { PUBLISH_POSTGRES_URL_FILE: join(folder, 'url') });
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/postgres:\/\/127\.0\.0\.1:9\/x cannot be reached:\s+connection refused/);
    expect(stdout + stderr).not.toContain('tr0ub4dor');
    const file = new Database(join(folder, 'data', 'warehouse.sqlite'), { readonly: true });
    expect(file.prepare('SELECT max(id) FROM run').pluck().get()).toBe(2);
    expect(JSON.stringify(file.prepare('SELECT * FROM run').all())).not.toContain('tr0ub4dor');
    file.close();
  });

  it('refuses an address without a database or encryption, and names the setting', async () => {
    for (const [wrong, words] of [
      ['mysql://keeper:tr0ub4dor@127.0.0.1/x', 'Invalid publish.postgres.url'],
      ['postgres://keeper:tr0ub4dor@db.example.com/x', 'expected sslmode'],
    ] as const) {
      const { code, stderr } = await run(['publish'], { PUBLISH_POSTGRES_URL: wrong });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
      expect(stderr).not.toContain('tr0ub4dor');
    }
  });

  it('copies from the other engine, and leaves no file; the dashboard of Grafana reads both alike', async () => {
    const env = { PACEKEEPER_STORE_URL: await freshDatabase(), PUBLISH_POSTGRES_URL: url };
    const there = tempDir();
    writeFolder(there, 'queries', { 'campaign_spend.sql': readFileSync('queries/campaign_spend.sql', 'utf8') });
    writeFolder(there, 'rules', {});
    const { code } = await runInProcess(['extract'], {
      folder: there,
      env: { PACEKEEPER_NOW: '2026-11-20T10:00:00Z', ...env },
    });
    expect(code).toBe(0);
    expect(await onDatabase(url, HOUR)).toEqual([['10']]);
    expect(
      readdirSync(join(there, 'data')).filter((name) => name.includes('copy') || name.includes('publish')),
    ).toEqual([]);
    expect(existsSync(join(there, 'data', 'warehouse.sqlite'))).toBe(false);
    for (const rawSql of panelQueries()) {
      const sql = rawSql.replace(/\$__timeFilter\((\w+)\)/g, "$1 BETWEEN '2026-01-01' AND '2026-12-31'");
      const rowsOf = async (database: string, schema: string) =>
        (await onDatabase(database, sql.replaceAll(SCHEMA_VARIABLE, schema))).map((row) => JSON.stringify(row)).sort();
      expect(await rowsOf(env.PACEKEEPER_STORE_URL, 'warehouse'), sql).toEqual(await rowsOf(url, 'published'));
    }
  });

  it('copies hostile values exactly, and texts of a computed number', async () => {
    const path = join(tempDir(), 'hostile.sqlite');
    const types: readonly DeclaredType[] = [
      'INTEGER',
      'TEXT',
      'DATE',
      'DATETIME',
      'BOOLEAN',
      'DOUBLE',
      'DECIMAL(18,6)',
      'DOUBLE',
    ];
    const columns = types.map((declared, index) => ({
      name: `Sel"ect ${index}`,
      declared,
      expression: '',
      description: '',
    }));
    const table = {
      name: 'or"der',
      group: 'statistics',
      sources: [],
      description: '',
      columns,
      key: [],
      from: '',
      order: '',
      indexes: [],
    } as PublishedTable;
    const names = columns.map(({ name, declared }) => `"${name.replaceAll('"', '""')}" ${declared}`);
    const file = new Database(path);
    file.exec(`CREATE TABLE "or""der" (${names.join(', ')})`);
    const insert = file.prepare('INSERT INTO "or""der" VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    insert.run(
      2n ** 63n - 1n,
      'a\tb\\N\nc\r🚲\\.',
      '1969-12-31',
      '1969-12-31 23:59:59.999',
      1,
      0.1,
      9007199254.740993,
      'text',
    );
    insert.run(-(2n ** 63n), 'a\0b', null, null, 0, 1e300, -0.000001, 1.5);
    insert.run(null, '', null, null, null, null, null, null);
    file.close();
    await copyTables(url, path, [table]);
    const texts = names.map((name) => `${name.slice(0, name.lastIndexOf('"') + 1)}::text`).join(', ');
    const [first, second, third] = await onDatabase(url, `SELECT ${texts} FROM published."or""der"`);
    expect(first).toEqual([
      '9223372036854775807',
      'a\tb\\N\nc\r🚲\\.',
      '1969-12-31',
      '1969-12-31 23:59:59.999',
      'true',
      '0.1',
      '9007199254.740993',
      'text',
    ]);
    expect(second).toEqual(['-9223372036854775808', 'a\uFFFDb', null, null, 'false', '1e+300', '-0.000001', '1.5']);
    expect(third).toEqual([null, '', null, null, null, null, null, null]);
  });
});
