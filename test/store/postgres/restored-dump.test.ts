import { expect, it } from 'vitest';
import {
  type DumpFormat,
  databaseBeside,
  describePostgres,
  dropDatabase,
  dumpOf,
  freshDatabase,
  makeDatabase,
  onDatabase,
  restoreDump,
} from '../../support/postgres-server.ts';
import { createProduct, type Product } from '../../support/product.ts';

/** Commands of the product with this database, in a data folder of their own. */
const at = (product: Product, url: string, folder: string) => (args: readonly string[]) =>
  product.run([...args, '--data-dir', folder], { env: { PACEKEEPER_STORE_URL: url }, width: 2000 });

const VIEWS = `SELECT table_name::text FROM information_schema.views WHERE table_schema = 'warehouse' ORDER BY 1`;
const SHOWN = ['stats', 'stats_by_day', 'account_day', 'campaign', 'coverage', 'calendar'];

async function shownIn(url: string): Promise<Record<string, unknown>> {
  const views = (await onDatabase(url, VIEWS)).flat().map(String);
  const shown: [string, unknown][] = [['views', views]];
  for (const name of SHOWN.filter((one) => one === 'stats' || views.includes(one))) {
    const rows = await onDatabase(url, `SELECT * FROM warehouse.${name}`);
    shown.push([name, rows.map((row) => JSON.stringify(row).replace(/T12:00:\d\d/, 'T12')).sort()]);
  }
  const totals = `SELECT query, customer_id, date, state, rows, totals FROM pacekeeper.account_day ORDER BY 1, 2, 3`;
  return { ...Object.fromEntries(shown), totals: await onDatabase(url, totals) };
}

/** As databases of earlier versions have them. */
const NUMBERED = `DO $$ DECLARE part record; BEGIN
  FOR part IN SELECT inhrelid::regclass AS name, inhparent || ' ' || left(relname, 7) AS number
    FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE relkind = 'r' LOOP
    EXECUTE format('ALTER TABLE %s RENAME TO %I', part.name, part.number);
  END LOOP; END $$`;

const WAYS: readonly (readonly [DumpFormat, 'new' | 'same', readonly string[]])[] = [
  ['custom', 'new', []],
  ['custom', 'same', ['--no-owner']],
  ['plain', 'new', []],
  ['plain', 'same', []],
];

describePostgres('a database restored from a dump', () => {
  it.each(WAYS)('in %s format, under the %s name, goes on in the same tables %j', async (format, name, options) => {
    const product = await createProduct({ mode: 'propose' });
    const url = await freshDatabase();
    product.at('2026-11-29T12:00:00Z');
    expect(await at(product, url, 'a')(['report'])).toMatchObject({ code: 0 });
    if (format === 'custom') await onDatabase(url, NUMBERED);
    const dump = dumpOf(url, format);
    product.at('2026-12-01T12:00:00Z');
    expect(await at(product, url, 'a')(['report'])).toMatchObject({ code: 0 });
    const expected = await shownIn(url);
    let restored = url;
    if (name === 'new') restored = await freshDatabase();
    else {
      await dropDatabase(url);
      await makeDatabase(databaseBeside(url, 'postgres'), undefined, url);
    }
    restoreDump(restored, dump, format, ...options);
    expect(await at(product, restored, 'b')(['report'])).toMatchObject({ code: 0 });
    expect(await shownIn(restored)).toEqual(expected);
    expect(await at(product, restored, 'b')(['doctor', '--offline'])).toMatchObject({ code: 0 });
    expect(await at(product, restored, 'b')(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
  });
});
