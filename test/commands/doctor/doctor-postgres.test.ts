import { expect, it } from 'vitest';
import { openPostgres } from '../../../src/storage/records/postgres/open-records.ts';
import { describePostgres, freshDatabase, onDatabase } from '../../support/postgres-server.ts';
import { createProduct } from '../../support/product.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES } from '../../support/trim-rule.ts';
import { writeFolder } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';

async function doctor(url: string) {
  const folder = tempDir();
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', {});
  const args = ['doctor', '--format', 'json', '--offline'];
  const { code, stdout } = await runInProcess(args, { folder, env: { PACEKEEPER_STORE_URL: url } });
  const checks = JSON.parse(stdout) as Record<string, string>[];
  expect(stdout).not.toContain('correct-horse');
  return { code, checks, database: checks.filter(({ part }) => part === 'database') };
}

const told = (checks: readonly Record<string, string>[]) =>
  checks.map(({ check, state, found }) => `${check}: ${state}, ${found}`);

const made = async (...statements: readonly string[]) => {
  const url = await freshDatabase();
  await (await openPostgres({ url, waitMs: 1000 })).close();
  await onDatabase(url, ...statements);
  return url;
};

describePostgres('pacekeeper doctor with PostgreSQL', () => {
  it('looks at the server in place of files, and creates nothing', async () => {
    const url = await freshDatabase();
    const { code, checks, database } = await doctor(url);
    expect([code, told(database)]).toEqual([
      0,
      [
        expect.stringMatching(/^server: ok, postgres:\/\/127\.0\.0\.1:\d+\/db_\d+, PostgreSQL 15$/),
        expect.stringMatching(/^server clock: ok, \d s /),
        'rights: ok, complete',
        'records: missing, no tables',
      ],
    ]);
    expect(checks.map(({ check }) => check)).not.toContain('state.sqlite');
    expect(await onDatabase(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'pacekeeper'")).toEqual([]);
  });

  it('finds whole records, and one that somebody may have altered', async () => {
    const whole = await doctor(await made());
    expect([whole.code, whole.database.at(-1)?.state]).toEqual([0, 'ok']);
    const { code, database } = await doctor(
      await made('DROP TRIGGER budget_event_is_not_changed ON pacekeeper.budget_event'),
    );
    expect([code, told(database).at(-1)]).toEqual([
      1,
      'records: failed, damaged: trigger budget_event_is_not_changed is missing. Somebody may have altered the record of budget changes',
    ]);
  });

  it('finds a missing table, records of a newer version, and a database that takes no writes', async () => {
    const last = async (url: string) => told((await doctor(url)).database).at(-1);
    expect(await last(await made('DROP TABLE pacekeeper.silence'))).toBe(
      'records: failed, damaged: table silence is missing',
    );
    expect(await last(await made("INSERT INTO pacekeeper.schema_version VALUES ('9999-later')"))).toBe(
      'records: failed, written by a newer version (9999)',
    );
    const url = await made();
    await onDatabase(url, `ALTER DATABASE ${url.split('/').at(-1)} SET default_transaction_read_only = on`);
    expect(told((await doctor(url)).database)[0]).toMatch(/^server: failed, .*, PostgreSQL 15, read-only$/);
  });

  it('finds rows and views that an incomplete restore lost, and what makes them whole', async () => {
    const product = await createProduct({ mode: 'propose' });
    const url = await freshDatabase();
    const run = (...args: string[]) =>
      product.run([...args, '--data-dir', 'pg'], { env: { PACEKEEPER_STORE_URL: url }, width: 1000 });
    expect(await run('report')).toMatchObject({ code: 0 });
    const tables = async () => {
      const { code, stdout } = await run('doctor', '--offline', '--format', 'json');
      const checks = JSON.parse(stdout) as Record<string, string>[];
      return [code, checks.find(({ check }) => check === 'tables')?.found];
    };
    expect(await tables()).toEqual([0, 'complete']);
    await onDatabase(url, 'DROP VIEW warehouse.stats_by_week');
    expect(await tables()).toEqual([1, 'lost: view stats_by_week']);
    expect(await run('publish')).toMatchObject({ code: 0 });
    expect(await tables()).toEqual([0, 'complete']);
    await onDatabase(url, 'COMMENT ON VIEW warehouse.stats_by_day IS NULL');
    expect(await tables()).toEqual([1, 'lost: view stats_by_day']);
    await onDatabase(url, 'DROP VIEW warehouse.data_dictionary');
    expect(await tables()).toEqual([1, 'lost: view data_dictionary']);
    await onDatabase(url, 'ALTER TABLE warehouse.stats DETACH PARTITION pacekeeper."2026-11 stats"');
    expect(await tables()).toEqual([1, 'lost: 2026-11 of table stats, and 1 more']);
    await onDatabase(url, 'DROP TABLE warehouse.stats CASCADE');
    expect(await tables()).toEqual([1, expect.stringMatching(/^lost: table stats, and \d+ more$/)]);
  });

  it('says what the user may not do', async () => {
    const url = await made(
      'CREATE ROLE looks_only LOGIN',
      'GRANT USAGE ON SCHEMA pacekeeper TO looks_only',
      'GRANT SELECT ON pacekeeper.schema_version TO looks_only',
    );
    const { code, database } = await doctor(url.replace('keeper:', 'looks_only:'));
    expect([code, told(database).find((line) => line.startsWith('rights'))]).toEqual([
      1,
      expect.stringMatching(/^rights: failed, the user may not create tables in warehouse, and \d+ more$/),
    ]);
  });

  it('says in a sentence that the server is away', async () => {
    const { code, database } = await doctor('postgres://keeper:correct-horse@127.0.0.1:1/away');
    expect([code, told(database)]).toEqual([
      1,
      ['server: failed, postgres://127.0.0.1:1/away cannot be reached: connection refused'],
    ]);
  });
});
