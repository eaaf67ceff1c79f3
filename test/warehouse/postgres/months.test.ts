import { expect, it } from 'vitest';
import { besideLoads } from '../../../src/store/in-transaction.ts';
import { ensureQueryTable } from '../../../src/warehouse/evolve-table.ts';
import { ensureMonths } from '../../../src/warehouse/postgres/query-tables.ts';
import { STATS } from '../../extract/loads.ts';
import { freshStore } from '../../support/both-engines.ts';
import { describePostgres, onDatabase } from '../../support/postgres-server.ts';

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
    const second = besideLoads(other.db, (trx) => ensureMonths(trx, STATS.name, ['2026-11']));
    while ((await onDatabase(one.url, 'SELECT FROM pg_locks WHERE NOT granted')).length === 0);
    mayEnd.resolve();
    await Promise.all([first, second]);
    expect(
      await onDatabase(one.url, "SELECT count(*)::int FROM pg_inherits WHERE inhparent = 'warehouse.stats'::regclass"),
    ).toEqual([[1]]);
  });
});
