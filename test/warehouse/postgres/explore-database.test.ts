import { expect, it } from 'vitest';
import { exploreDatabase } from '../../../src/storage/warehouse/postgres/explore-database.ts';
import { freshStore } from '../../support/both-engines.ts';
import { describePostgres, onDatabase, readerOf } from '../../support/postgres-server.ts';

/** The rows, or the words of the refusal. */
async function explored(url: string, sql: string, timeMs = 5000): Promise<unknown> {
  const found = await exploreDatabase(url, sql, timeMs);
  if (found.kind === 'refused') return found.problems.join('\n');
  const rows: unknown[] = [];
  try {
    for await (const row of found.rows) rows.push(row);
    return rows;
  } catch (error) {
    return found.refusedBy(error).problems.join('\n');
  } finally {
    await found.close?.();
  }
}

describePostgres('a query of Explore on PostgreSQL', () => {
  it('reads published tables as a role that can do nothing else', async () => {
    const { url, warehouse } = await freshStore();
    await warehouse.publish({ path: '', nowMs: Date.parse('2026-11-20T12:00:00Z'), describe: () => undefined });
    const reader = await readerOf(url);
    expect(await explored(reader, 'SELECT as_of, target FROM as_of; ')).toEqual([['2026-11-20 12:00:00', null]]);
    expect(
      await explored(reader, 'SELECT 9007199254740993 AS id, 0.5::float AS part, date AS day FROM dim_calendar'),
    ).toEqual([]);
    expect(await explored(reader, 'SELECT * FROM generate_series(1, 2500) AS n')).toHaveLength(2500);

    const refusals = [
      ["COPY (SELECT 1) TO PROGRAM 'id'", /syntax error/],
      ["SELECT 1) AS x; COPY x TO PROGRAM 'id'; SELECT * FROM (SELECT 1", /cannot insert multiple commands/],
      ['DELETE FROM as_of', /syntax error/],
      ['WITH gone AS (DELETE FROM as_of RETURNING 1) SELECT * FROM gone', /must be at the top level/],
      ['SET ROLE keeper', /syntax error/],
      ["SELECT pg_read_file('/etc/passwd')", /permission denied/],
      ["SELECT * FROM pg_ls_dir('/')", /permission denied/],
      ["SELECT lo_import('/etc/passwd')", /permission denied|read-only/],
      ["SELECT set_config('role', 'keeper', false)", /permission denied/],
      ["SELECT set_config('transaction_read_only', 'off', false)", /read-write mode must be set before any query/],
      ['SELECT * FROM pacekeeper.budget_intent', /permission denied/],
      ["SELECT query_to_xml('SELECT * FROM pacekeeper.message', true, true, '')", /permission denied/],
      ["SELECT table_to_xml('pacekeeper.message'::regclass, true, true, '')", /permission denied/],
      ['SELECT * FROM pg_authid', /permission denied/],
      ['SELECT $1', /parameter/],
      ['', /syntax error/],
    ] as const;
    for (const [sql, words] of refusals) {
      expect([sql, await explored(reader, sql)]).toEqual([sql, expect.stringMatching(words)]);
    }
    expect(await explored(reader, 'SELECT pg_sleep(60)', 200)).toMatch(/statement timeout/);
    const lifted =
      "SELECT set_config('statement_timeout', '0', false), pg_sleep(CASE WHEN n > 1000 THEN 60 ELSE 0 END) FROM generate_series(1, 1001) AS n";
    expect(await explored(reader, lifted, 300)).toMatch(/statement timeout/);
  });

  it('is refused for a role that can do more, and does not tell the address', async () => {
    const { url } = await freshStore();
    expect(await explored(url, 'SELECT 1')).toBe(
      'Explore needs a role that may only read the schema warehouse, but this role is an administrator.',
    );
    const reader = await readerOf(url);
    await onDatabase(url, 'GRANT USAGE ON SCHEMA pacekeeper TO reader');
    expect(await explored(reader, 'SELECT 1')).toContain('this role may use the schema pacekeeper.');
    await onDatabase(
      url,
      'REVOKE USAGE ON SCHEMA pacekeeper FROM reader',
      'GRANT CREATE ON SCHEMA warehouse TO reader',
    );
    expect(await explored(reader, 'SELECT 1')).toContain('this role may create tables in the schema warehouse.');
    const away = await explored('postgres://reader:secret@127.0.0.1:1/none', 'SELECT 1');
    expect(away).toBe('PostgreSQL refuses the query: the database cannot be reached.');
  });

  it('names the place of an error, also behind characters of two units', async () => {
    const { url, warehouse } = await freshStore();
    await warehouse.publish({ path: '', nowMs: Date.parse('2026-11-20T12:00:00Z'), describe: () => undefined });
    const reader = await readerOf(url);
    const sql = "SELECT '🚲',\n  calendar.dat FROM dim_calendar AS calendar";
    const start = { offset: sql.indexOf('calendar.dat'), line: 2, column: 3 };
    expect(await exploreDatabase(reader, sql, 5000)).toMatchObject({
      problems: [expect.stringMatching(/^Line 2, column 3: PostgreSQL refuses the query: .* does not exist\.$/)],
      at: { start, end: { offset: start.offset + 'calendar.dat'.length } },
      unknown: { kind: 'column', name: 'calendar.dat' },
    });
    const table = await exploreDatabase(reader, 'SELECT * FROM account_days', 5000);
    expect(table).toMatchObject({ at: { start: { column: 15 } }, unknown: { kind: 'table', name: 'account_days' } });
  });
});
