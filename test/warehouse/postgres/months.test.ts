import { expect, it } from 'vitest';
import { besideLoads } from '../../../src/storage/records/in-transaction.ts';
import { ensureQueryTable } from '../../../src/storage/warehouse/evolve-table.ts';
import { ensureMonths } from '../../../src/storage/warehouse/postgres/query-tables.ts';
import type { Store } from '../../../src/storage/warehouse/store.ts';
import { STATS } from '../../extract/loads.ts';
import { freshStore } from '../../support/both-engines.ts';
import { describePostgres, onDatabase } from '../../support/postgres-server.ts';

const ensure = ({ db }: Store, table: string, ...months: string[]) =>
  besideLoads(db, (trx) => ensureMonths(trx, table, months));

const MONTHS = ['2025-03', '2026-11', '2026-12', '2027-01', '2027-02'];

/** The names of the parts, and those of their tables. */
const partsOf = (url: string) =>
  onDatabase(
    url,
    `SELECT relname::text, inhparent::regclass::text FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE relkind = 'r' ORDER BY 2, relname`,
  );

describePostgres('the part of a table for a month', () => {
  it('that two processes need at the same time is created once', async () => {
    const one = await freshStore();
    const other = await freshStore(one.url);
    await ensureQueryTable(one, STATS);
    const created = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = besideLoads(one.db, async (trx) => {
      await ensureMonths(trx, STATS.name, ['2026-11']);
      created.resolve();
      await mayEnd.promise;
    });
    await created.promise;
    const second = ensure(other, STATS.name, '2026-11');
    while ((await onDatabase(one.url, 'SELECT FROM pg_locks WHERE NOT granted')).length === 0);
    mayEnd.resolve();
    await Promise.all([first, second]);
    expect(await partsOf(one.url)).toEqual([['2026-11 stats', 'warehouse.stats']]);
  });

  it('is found by its days, whatever its name, and has a name of its own with every table', async () => {
    const store = await freshStore();
    const { url } = store;
    const long = `a${'_long_name_of_a_query'.repeat(3)}`.slice(0, 62);
    const names = ['stats', `${long}1`, `${long}2`, `${long.slice(0, 55)}`];
    for (const name of names) await ensureQueryTable(store, { ...STATS, name });
    // As an earlier version named it, and as it is named after a restore.
    await onDatabase(
      url,
      `DO $$ BEGIN EXECUTE format('CREATE TABLE pacekeeper.%I PARTITION OF warehouse.stats
        FOR VALUES FROM (''2026-11-01'') TO (''2026-12-01'')', 'warehouse.stats'::regclass::oid || ' 2026-11'); END $$`,
      `CREATE TABLE pacekeeper."1 2026-12" PARTITION OF warehouse.stats FOR VALUES FROM ('2026-12-01') TO ('2027-01-01')`,
      `DO $$ BEGIN EXECUTE format('CREATE TABLE pacekeeper.%I (nothing int)', 'warehouse.stats'::regclass::oid || ' 2027-01');
        END $$`,
      `CREATE TABLE public.earlier PARTITION OF warehouse.stats FOR VALUES FROM (MINVALUE) TO ('2026-01-01')`,
    );
    await onDatabase(url, `ALTER DATABASE ${url.split('/').at(-1)} SET datestyle = 'SQL, DMY'`);
    const other = await freshStore(url);
    for (const name of names) await ensure(other, name, ...MONTHS);
    await ensure(other, 'stats', '2027-02', '2025-04');
    const parts = await partsOf(url);
    expect(parts.filter(([, table]) => table === 'warehouse.stats').map(([part]) => part)).toEqual([
      '1 2026-12',
      expect.stringMatching(/^\d{4,} 2026-11$/),
      '2027-01 stats',
      '2027-02 stats',
      'earlier',
    ]);
    for (const name of names.slice(1)) {
      const own = parts.filter(([, table]) => table === `warehouse.${name}`);
      expect(own.map(([part]) => String(part).slice(0, 9))).toEqual(MONTHS.map((month) => `${month} a`));
    }
    expect(Math.max(...parts.map(([part]) => String(part).length))).toBe(63);
  });
});
