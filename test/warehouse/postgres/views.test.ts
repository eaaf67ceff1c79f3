import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { describePostgres, freshDatabase, onDatabase } from '../../support/postgres-server.ts';
import { TRIM_QUERIES, TRIMMED } from '../../support/trim-rule.ts';
import { createWorld } from '../../support/world.ts';

const ONE = { customers: [customerId(TRIMMED.customerId)], dryRun: true };

describePostgres('views of others', () => {
  it('stay where they are; one that reads our views is named, and stops neither the reading nor the records', async () => {
    const url = await freshDatabase();
    const world = await createWorld({ queries: TRIM_QUERIES, rules: {}, env: { PACEKEEPER_STORE_URL: url } });
    const has = async (name: string) =>
      (await onDatabase(url, `SELECT to_regclass('${name}') IS NOT NULL`)).flat().includes(true);
    expect((await world.report(ONE)).failures).toEqual([]);
    await onDatabase(url, 'CREATE VIEW warehouse.mine AS SELECT count(*) FROM warehouse.stats');
    await onDatabase(url, 'CREATE VIEW public.theirs AS SELECT * FROM warehouse.stats_by_month');

    writeFileSync(join(world.folder, 'queries', 'campaign.sql'), readFileSync('queries/campaign.sql'));
    const { failures } = await world.report(ONE);
    expect(failures).toEqual([
      expect.stringMatching(
        /^The views in warehouse could not be published .*: view public\.theirs depends on view stats_by_month\. Views that others read cannot be replaced\. Drop what depends/,
      ),
    ]);
    expect((await onDatabase(url, 'SELECT count(*) > 0 FROM warehouse.campaign')).flat()).toEqual([true]);
    expect([await has('warehouse.stats_by_month'), await has('warehouse.dim_campaign')]).toEqual([true, true]);

    await onDatabase(url, 'DROP VIEW public.theirs');
    expect((await world.report(ONE)).failures).toEqual([]);
    expect([await has('warehouse.mine'), await has('warehouse.stats_by_month')]).toEqual([true, true]);

    await onDatabase(url, 'DROP VIEW warehouse.run CASCADE; CREATE VIEW warehouse.run AS SELECT 1 AS one');
    await onDatabase(url, 'DELETE FROM pacekeeper.publication');
    const refused = await world.report(ONE);
    expect(refused.failures.join()).toContain('warehouse.run was not created by pacekeeper');
    expect((await onDatabase(url, 'SELECT one FROM warehouse.run')).flat()).toEqual([1]);
  });
});
