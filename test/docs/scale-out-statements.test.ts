import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { customerId } from '../../src/domain/ids.ts';
import { checkQueryFile } from '../../src/language/gaql/query-file.ts';
import { acquireRunLock } from '../../src/storage/records/postgres/run-lock.ts';
import { ensureQueryTable } from '../../src/storage/warehouse/evolve-table.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { freshStore } from '../support/both-engines.ts';
import { LATER, upgraded } from '../support/database-of-version.ts';
import { describePostgres, freshDatabase, onDatabase } from '../support/postgres-server.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { APPLY, createWorld } from '../support/world.ts';

const PAGE = readFileSync('docs/scale-out.md', 'utf8');

/** Statements of a section, by code block. */
function blocksOf(section: string): string[][] {
  const text = PAGE.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  return [...text.matchAll(/^```sql\n(.*?)^```/gms)].map(([, block = '']) =>
    block.split(/;\n/).filter((statement) => statement.trim() !== ''),
  );
}

const asRole = (url: string, role: string) => url.replace(/keeper:[^@]+@/, `${role}@`);

describePostgres('the statements of the page about PostgreSQL', () => {
  it('let the runner run a report but not change the audit trail or the tables, and the reader read the warehouse only', async () => {
    const url = await freshDatabase();
    const [roles = [], grants = [], locks = []] = blocksOf('Roles');
    const database = url.split('/').at(-1) ?? '';
    await onDatabase(url, ...roles.map((statement) => statement.replace('DATABASE ads', `DATABASE ${database}`)));
    const runner = asRole(url, 'pacekeeper_runner');
    const run = (command: string, address: string) => {
      const args = [command, '--by', 'anna', '--why', 'setup', '--data-dir', 'data'];
      return runInProcess(args, { env: { PACEKEEPER_STORE_URL: address } });
    };
    expect(await run('freeze', asRole(url, 'pacekeeper_owner'))).toMatchObject({ code: 0 });
    await onDatabase(url, ...grants, locks.join(';\n'));
    expect(await run('unfreeze', runner)).toMatchObject({ code: 0 });
    const env = { PACEKEEPER_STORE_URL: runner };
    const world = await createWorld({ config: APPLY, queries: TRIM_QUERIES, rules: TRIM_RULES, env });
    const { failures, decisions } = await world.report({ customers: [customerId(TRIMMED.customerId)] });
    expect(failures).toEqual([]);
    expect(decisions).toHaveLength(1);
    await expect(onDatabase(runner, 'DELETE FROM pacekeeper.budget_event')).rejects.toThrow('permission denied');
    await expect(onDatabase(runner, 'ALTER TABLE pacekeeper.budget_event DISABLE TRIGGER ALL')).rejects.toThrow(
      'owner',
    );
    const forget = (address: string) =>
      runInProcess(['forget', '+4915112345678', '--data-dir', 'data'], { env: { PACEKEEPER_STORE_URL: address } });
    const asRunner = await forget(runner);
    expect([asRunner.code, asRunner.stderr]).toEqual([1, expect.stringContaining('Deleted texts stay in')]);
    expect(asRunner.stderr).toContain('next step: As the owner of the tables, run pacekeeper forget again');
    expect(await forget(asRole(url, 'pacekeeper_owner'))).toMatchObject({ code: 0 });
    const reader = asRole(url, 'pacekeeper_reader');
    const [[count] = []] = await onDatabase(reader, 'SELECT count(*) FROM warehouse.stats');
    expect(Number(count)).toBeGreaterThan(0);
    // This view reads events with functions of the schema pacekeeper.
    expect(await onDatabase(reader, 'SELECT decided_why FROM warehouse.budget_proposal')).toEqual([]);
    await expect(onDatabase(reader, 'DELETE FROM warehouse.stats')).rejects.toThrow('read-only');
    await expect(
      onDatabase(reader, 'SET default_transaction_read_only = off', 'DELETE FROM warehouse.stats'),
    ).rejects.toThrow('permission denied');
    await expect(onDatabase(reader, 'SELECT * FROM pacekeeper.run')).rejects.toThrow('permission denied');
    await expect(onDatabase(reader, 'SELECT pg_advisory_lock(1)')).rejects.toThrow('permission denied');

    // Tables of later versions.
    await expect(upgraded(runner, LATER)).rejects.toThrow(/ has tables of version \d{4}, expected version \d{4}\.$/);
    await upgraded(asRole(url, 'pacekeeper_owner'), LATER);
    expect(await onDatabase(runner, 'SELECT words FROM pacekeeper.later_note')).toHaveLength(1);
    await onDatabase(runner, "INSERT INTO pacekeeper.later_note (run_id, words) VALUES (1, 'of the runner')");
  });

  it('show who holds the run lock, old reports, lost messages and the sizes of tables', async () => {
    const { url } = await freshStore();
    const [[holder = '', age = '', messages = '', sizes = ''] = []] = blocksOf('Monitoring');
    expect(await onDatabase(url, holder)).toEqual([]);
    const lock = await acquireRunLock(url, 'pacekeeper report', '2026-11-20T12:00:00Z');
    expect((await onDatabase(url, holder)).map(([command]) => command)).toEqual(['pacekeeper report']);
    if (lock.kind === 'acquired') await lock.release();
    await onDatabase(
      url,
      `INSERT INTO pacekeeper.run (command, target, target_kind, mode, dry_run, state, started_at, ended_at)
        VALUES ('report', 't', 'sandbox', 'apply', 0, 'done', '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z')`,
      `INSERT INTO pacekeeper.message (channel, recipient, text, reference, state, created_at, updated_at)
        VALUES ('graph', '1', 'x', 'r', 'failed', '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z')`,
    );
    const [[since] = []] = await onDatabase(url, `SELECT (SELECT age FROM (${age}) AS one) > '1 second'`);
    expect(since).toBe(true);
    expect(await onDatabase(url, messages)).toEqual([['graph', 'failed', '1']]);
    expect((await onDatabase(url, sizes)).map(([name]) => name)).toContain('pacekeeper.budget_event');
  });

  it('for Citus suit the keys of every table that has accounts', async () => {
    const store = await freshStore();
    const { url } = store;
    const catalogue = loadCatalogue('v25');
    for (const folder of ['queries', 'queries/library']) {
      for (const file of readdirSync(folder).filter((name) => name.endsWith('.sql'))) {
        const source = readFileSync(`${folder}/${file}`, 'utf8');
        const { query } = checkQueryFile(file.slice(0, -4), source, { catalogue });
        if (query) await ensureQueryTable(store, query);
      }
    }
    // Citus's functions, which here only note their arguments.
    await onDatabase(
      url,
      'CREATE TABLE public.spread (name regclass, by text)',
      `CREATE FUNCTION create_distributed_table(text, text) RETURNS void LANGUAGE sql AS
        'INSERT INTO public.spread VALUES ($1::regclass, $2)'`,
      `CREATE FUNCTION create_reference_table(text) RETURNS void LANGUAGE sql AS
        'INSERT INTO public.spread VALUES ($1::regclass, NULL)'`,
      ...(blocksOf('Citus')[0] ?? []),
    );
    const named = async (sql: string) => (await onDatabase(url, sql)).map(([name]) => String(name)).sort();
    const distributed = await named('SELECT name FROM public.spread WHERE by IS NOT NULL');
    expect(distributed.length).toBeGreaterThan(10);
    expect(await named("SELECT name FROM public.spread WHERE by <> 'customer_id'")).toEqual([]);

    const stays = PAGE.slice(PAGE.indexOf('stay on the coordinator')).matchAll(/`([a-z_]+)`/g);
    const listed = [...stays].map(([, name = '']) => `pacekeeper.${name}`);
    const withAccounts = `SELECT attrelid::regclass FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE attname = 'customer_id' AND relkind IN ('r', 'p') AND NOT relispartition
        AND relnamespace IN ('pacekeeper'::regnamespace, 'warehouse'::regnamespace)`;
    expect(await named(withAccounts)).toEqual([...distributed, 'pacekeeper.account', ...listed].sort());

    const spread = 'JOIN public.spread ON by IS NOT NULL AND name';
    // Unique keys lead with the account and hold the day by which the table has its parts.
    const firstOf = '(SELECT attname FROM pg_attribute WHERE attrelid = indrelid AND attnum = indkey[0])';
    expect(
      await named(`SELECT name FROM pg_index ${spread} = indrelid LEFT JOIN pg_partitioned_table ON partrelid = indrelid
        WHERE indisunique AND (${firstOf} <> 'customer_id' OR partattrs[0] <> ALL (indkey::int2[]))`),
    ).toEqual([]);
    expect(
      await named(`SELECT name FROM pg_constraint ${spread} IN (conrelid, confrelid) WHERE contype = 'f'`),
    ).toEqual([]);
    expect(
      await named(`SELECT name FROM pg_attribute ${spread} = attrelid WHERE attidentity <> '' OR atthasdef`),
    ).toEqual([]);
  });
});
